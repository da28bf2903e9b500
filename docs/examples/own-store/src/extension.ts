import type { Extension, ServiceIdentifier } from 'blog-content-read-api/extensions';
import { Database } from './adapters/mariadb/database.js';
import { installationOf } from './adapters/mariadb/installation-of.js';
import { MariadbApiKeyDirectory } from './adapters/mariadb/mariadb-api-key-directory.js';
import { MariadbBlogReader } from './adapters/mariadb/mariadb-blog-reader.js';
import { MariadbCategoryReader } from './adapters/mariadb/mariadb-category-reader.js';
import { MariadbGenerations } from './adapters/mariadb/mariadb-generations.js';
import { MariadbTagReader } from './adapters/mariadb/mariadb-tag-reader.js';
import { addressIn } from './address.js';

const DATABASE = Symbol('MariaDB') as ServiceIdentifier<Database>;

const extension: Extension = {
  name: 'own-store',

  api({ bind, tokens, environment }) {
    const url = addressIn(environment);
    bind(DATABASE)
      .toResolvedValue(() => Database.forApi(url))
      .onDeactivation((database) => database.close());
    bind(tokens.blogReader).toResolvedValue((database) => new MariadbBlogReader(database), [DATABASE]);
    bind(tokens.categoryReader).toResolvedValue(
      (database) => new MariadbCategoryReader(database),
      [DATABASE],
    );
    bind(tokens.tagReader).toResolvedValue((database) => new MariadbTagReader(database), [DATABASE]);
    bind(tokens.keyTable).toResolvedValue((database) => new MariadbApiKeyDirectory(database), [DATABASE]);
    bind(tokens.generationTable).toResolvedValue((database) => new MariadbGenerations(database), [DATABASE]);
    bind(tokens.installation).toResolvedValue((database) => () => installationOf(database), [DATABASE]);
  },
};

export default extension;
