import type { Extension, ServiceIdentifier } from 'blog-content-read-api/extensions';
import { Database, isOutage } from './adapters/mariadb/database.js';
import { installationOf } from './adapters/mariadb/installation-of.js';
import { MariadbApiKeyDirectory } from './adapters/mariadb/mariadb-api-key-directory.js';
import { MariadbBlogReader } from './adapters/mariadb/mariadb-blog-reader.js';
import { MariadbCategoryReader } from './adapters/mariadb/mariadb-category-reader.js';
import { MariadbGenerations } from './adapters/mariadb/mariadb-generations.js';
import { MariadbJobQueue } from './adapters/mariadb/mariadb-job-queue.js';
import { MariadbLeadership } from './adapters/mariadb/mariadb-leadership.js';
import { MariadbReadModelWriter } from './adapters/mariadb/mariadb-read-model-writer.js';
import { MariadbSyncNotes } from './adapters/mariadb/mariadb-sync-notes.js';
import { MariadbTagReader } from './adapters/mariadb/mariadb-tag-reader.js';
import { addressIn } from './address.js';

const DATABASE = Symbol('MariaDB') as ServiceIdentifier<Database>;

/** Longer than any step of the worker. */
const LEADER_TIMEOUT_MS = 10_000;

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

  session({ bind, tokens, environment }) {
    const url = addressIn(environment);
    bind(DATABASE)
      .toResolvedValue(() => Database.forWorker(url))
      .onDeactivation((database) => database.close());
    bind(tokens.leadership).toResolvedValue(
      (database) => new MariadbLeadership(database, LEADER_TIMEOUT_MS),
      [DATABASE],
    );
    bind(tokens.readModelWriter).toResolvedValue(
      (database) => new MariadbReadModelWriter(database),
      [DATABASE],
    );
    bind(tokens.jobQueue).toResolvedValue((database) => new MariadbJobQueue(database), [DATABASE]);
    bind(tokens.syncNotes).toResolvedValue((database) => new MariadbSyncNotes(database), [DATABASE]);
    bind(tokens.generationTable).toResolvedValue((database) => new MariadbGenerations(database), [DATABASE]);
    bind(tokens.installation).toResolvedValue((database) => () => installationOf(database), [DATABASE]);
    bind(tokens.outage).toConstantValue(isOutage);
  },
};

export default extension;
