import { randomUUID } from 'node:crypto';
import * as runner from 'node:test';
import {
  aCategory,
  apiKeyDirectoryContract,
  aTag,
  blogReaderContract,
  categoryReaderContract,
  generationsContract,
  jobQueueContract,
  LeadingWriter,
  leadershipContract,
  readModelWriterContract,
  syncNotesContract,
  tagReaderContract,
} from 'blog-content-read-api/contracts';
import type { RowKind, RowTypes } from 'blog-content-read-api/ports';
import { Database } from '../src/adapters/mariadb/database.js';
import { MariadbApiKeyDirectory } from '../src/adapters/mariadb/mariadb-api-key-directory.js';
import { MariadbBlogReader } from '../src/adapters/mariadb/mariadb-blog-reader.js';
import { MariadbCategoryReader } from '../src/adapters/mariadb/mariadb-category-reader.js';
import { MariadbGenerations } from '../src/adapters/mariadb/mariadb-generations.js';
import { MariadbJobQueue } from '../src/adapters/mariadb/mariadb-job-queue.js';
import { MariadbLeadership } from '../src/adapters/mariadb/mariadb-leadership.js';
import { MariadbReadModelWriter } from '../src/adapters/mariadb/mariadb-read-model-writer.js';
import { MariadbSyncNotes } from '../src/adapters/mariadb/mariadb-sync-notes.js';
import { MariadbTagReader } from '../src/adapters/mariadb/mariadb-tag-reader.js';
import { TestDatabase } from './support/test-database.js';

const { after, afterEach, before, describe } = runner;
const LEADER_TIMEOUT_MS = 10_000;

let test: TestDatabase;
/** Connections like those of the worker and of the API. */
let worker: Database;
let api: Database;

before(async () => {
  test = await TestDatabase.create();
  worker = Database.forWorker(test.url);
  api = Database.forApi(test.url);
});

after(async () => {
  await Promise.all([worker.close(), api.close()]);
  await test.drop();
});

blogReaderContract(runner, MariadbBlogReader, async () => ({
  subject: new MariadbBlogReader(api),
  put: fill('blogs').put,
}));

categoryReaderContract(runner, MariadbCategoryReader, async () => ({
  subject: new MariadbCategoryReader(api),
  ...fill('categories'),
}));

tagReaderContract(runner, MariadbTagReader, async () => ({
  subject: new MariadbTagReader(api),
  ...fill('tags'),
}));

apiKeyDirectoryContract(runner, MariadbApiKeyDirectory, async () => ({
  subject: new MariadbApiKeyDirectory(api),
  ...fill('apiKeys'),
  generations: new MariadbGenerations(api),
  // It has no cache.
  elapse: () => {},
}));

generationsContract(runner, MariadbGenerations, async () => {
  const tags = fill('tags');
  return {
    subject: new MariadbGenerations(api),
    change: (organizationId) => tags.put(aTag({ id: organizationId, organizationId, name: randomUUID() })),
    clear: (organizationId) => tags.remove(organizationId),
  };
});

readModelWriterContract(runner, MariadbReadModelWriter, async () => ({
  subject: new MariadbReadModelWriter(worker),
  leadership: leadershipOn(worker),
  apiKeys: new MariadbApiKeyDirectory(worker),
  blogs: new MariadbBlogReader(worker),
  categories: new MariadbCategoryReader(worker),
  tags: new MariadbTagReader(worker),
  generations: new MariadbGenerations(worker),
  jobs: new MariadbJobQueue(worker),
  reasonNotToShow: async (kind, id) => {
    const [row] = await worker.query<{ reason: string }>(
      'select reason from unshown_rows where kind = :kind and id = :id',
      { kind, id },
    );
    return row?.reason ?? null;
  },
  unstorable: {
    ...replacement('categories', [aCategory({ id: randomUUID(), sortOrder: 2 ** 31 })]),
    unshown: [],
  },
}));

jobQueueContract(runner, MariadbJobQueue, async () => {
  await worker.execute('delete from sync_jobs');
  await worker.execute(`insert into sync_jobs (scope) values ('everything'), ('reconcile')`);
  return {
    subject: new MariadbJobQueue(worker),
    writer: new MariadbReadModelWriter(worker),
    leadership: leadershipOn(worker),
  };
});

syncNotesContract(runner, MariadbSyncNotes, async () => {
  await worker.execute('delete from known_databases');
  await worker.execute('update sync_lead set capture_seen = null, capture_is_broken = false');
  return {
    subject: new MariadbSyncNotes(worker),
    later: new MariadbSyncNotes(worker),
    leadership: leadershipOn(worker),
    writer: new MariadbReadModelWriter(worker),
    jobs: new MariadbJobQueue(worker),
  };
});

describe('Of many workers,', () => {
  let read: TestDatabase;
  let workers: Database[] = [];

  before(async () => {
    read = await TestDatabase.create();
  });

  afterEach(async () => {
    // The leadership ends with its connection.
    await Promise.all(workers.map((database) => database.close()));
    workers = [];
  });

  after(() => read.drop());

  const newWorker = () => {
    const database = Database.forWorker(read.url);
    workers.push(database);
    return { leadership: leadershipOn(database), writer: new MariadbReadModelWriter(database) };
  };

  leadershipContract(runner, MariadbLeadership, async () => ({
    newWorker,
    // The server's clock cannot be moved, but the time of the last heartbeat can.
    advance: async (millis) => {
      const database = Database.forWorker(read.url);
      workers.push(database);
      await database.execute('update sync_lead set beat_at = beat_at - interval :micros microsecond', {
        micros: millis * 1000,
      });
    },
    leaderTimeoutMs: LEADER_TIMEOUT_MS,
  }));
});

function leadershipOn(database: Database): MariadbLeadership {
  return new MariadbLeadership(database, LEADER_TIMEOUT_MS);
}

function leadingWriter(): LeadingWriter {
  return new LeadingWriter(new MariadbReadModelWriter(worker), leadershipOn(worker));
}

/** In the same way as the sync worker. */
function fill<Kind extends RowKind>(kind: Kind) {
  const writer = leadingWriter();
  return {
    put: async (...rows: readonly RowTypes[Kind][]) => void (await writer.replace(replacement(kind, rows))),
    remove: async (...ids: readonly string[]) => void (await writer.replace({ kind, ids, rows: [] })),
  };
}

function replacement<Kind extends RowKind>(kind: Kind, rows: readonly RowTypes[Kind][]) {
  return { kind, ids: rows.map(({ id }) => id), rows };
}
