import { Database } from '../../src/adapters/mariadb/database.js';
import { MariadbApiKeyDirectory } from '../../src/adapters/mariadb/mariadb-api-key-directory.js';
import { MariadbBlogReader } from '../../src/adapters/mariadb/mariadb-blog-reader.js';
import { MariadbCategoryReader } from '../../src/adapters/mariadb/mariadb-category-reader.js';
import { MariadbLeadership } from '../../src/adapters/mariadb/mariadb-leadership.js';
import { MariadbReadModelWriter } from '../../src/adapters/mariadb/mariadb-read-model-writer.js';
import { MariadbTagReader } from '../../src/adapters/mariadb/mariadb-tag-reader.js';
import extension from '../../src/extension.js';
import { TestDatabase } from './test-database.js';

/** For the HTTP suite of the project, which can run on this store: see its tests/support/http/team-store.ts. */
export default {
  adapters: {
    apiKeyDirectory: MariadbApiKeyDirectory.prototype,
    blogReader: MariadbBlogReader.prototype,
    categoryReader: MariadbCategoryReader.prototype,
    tagReader: MariadbTagReader.prototype,
  },

  async open() {
    const test = await TestDatabase.create();
    const database = Database.forWorker(test.url);
    return {
      extension,
      environment: { MARIADB_URL: test.url },
      writer: new MariadbReadModelWriter(database),
      leadership: new MariadbLeadership(database, 10_000),
      close: async () => {
        await database.close();
        await test.drop();
      },
    };
  },
};
