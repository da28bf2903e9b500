import type { Extension, Part } from 'blog-content-read-api/extensions';
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

const DATABASE = Symbol('MariaDB') as Part<Database>;

/** Longer than any step of the worker. */
const LEADER_TIMEOUT_MS = 10_000;

const extension: Extension = {
  name: 'own-store',

  api(bind, environment) {
    const url = addressIn(environment);
    bind(
      DATABASE,
      () => Database.forApi(url),
      (database) => database.close(),
    );
    bind('blogReader', (get) => new MariadbBlogReader(get(DATABASE)));
    bind('categoryReader', (get) => new MariadbCategoryReader(get(DATABASE)));
    bind('tagReader', (get) => new MariadbTagReader(get(DATABASE)));
    bind('keyTable', (get) => new MariadbApiKeyDirectory(get(DATABASE)));
    bind('generationTable', (get) => new MariadbGenerations(get(DATABASE)));
    bind('installation', (get) => () => installationOf(get(DATABASE)));
  },

  worker(bind, environment) {
    const url = addressIn(environment);
    bind(
      DATABASE,
      () => Database.forWorker(url),
      (database) => database.close(),
    );
    bind('leadership', (get) => new MariadbLeadership(get(DATABASE), LEADER_TIMEOUT_MS));
    bind('readModelWriter', (get) => new MariadbReadModelWriter(get(DATABASE)));
    bind('jobQueue', (get) => new MariadbJobQueue(get(DATABASE)));
    bind('syncNotes', (get) => new MariadbSyncNotes(get(DATABASE)));
    bind('generationTable', (get) => new MariadbGenerations(get(DATABASE)));
    return { isOutage };
  },
};

export default extension;
