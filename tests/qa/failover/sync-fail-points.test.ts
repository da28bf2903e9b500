import { expect } from 'chai';
import { SyncedDatabases } from '../../support/sync/synced-databases.js';
import { MysqlSyncedDatabases } from '../support/dashboards/mysql-synced-databases.js';
import { SteppedWorker } from '../support/sync/stepped-worker.js';

const BLOGS = Array.from({ length: 20 }, (_, n) => `blog_${n}`);
const CONTENT = [
  `insert into organizations (id, name) values ('org', 'Organization')`,
  `insert into websites (id, organization_id, name) values ('1', 'org', 'Website')`,
  `insert into api_keys (id, organization_id, key_hash) values ('1', 'org', 'hash')`,
  `insert into tags (id, website_id, name, slug) values ('1', '1', 'a', 'few')`,
  ...BLOGS.map(
    (id) =>
      `insert into blogs (id, website_id, title, slug, status, published_at) values ('${id}', '1', 'Title', '${id}', 'published', now())`,
  ),
  ...BLOGS.slice(1, 3).map((id) => `insert into blog_tags values ('${id}', '1')`),
];
/** More than a worker passes for one edit. */
const MOST_BOUNDARIES = 201;
/** The number of workers that may fail while they finish the work of a killed one, because of its locks. */
const MAX_WORKERS = 5;

const DASHBOARDS = [
  { name: 'the reference schema', create: () => SyncedDatabases.create() },
  {
    name: 'MariaDB tables',
    create: (context: Mocha.Context) => MysqlSyncedDatabases.createIn(context),
  },
];

for (const { name, create } of DASHBOARDS) {
  describe(`A worker of a dashboard with ${name}`, () => {
    // Dozens of workers die one after the other.
    let databases: SyncedDatabases;

    before(async function () {
      databases = await create(this);
      for (const statement of CONTENT) await databases.dashboard.raw(statement);
      await recovers();
    });

    after(async () => {
      await databases?.close();
    });

    const worker = () => new SteppedWorker(databases);

    /** Edits a key, a blog, and a tag of two other blogs: one of each kind of step. */
    async function edit(name: string): Promise<void> {
      await databases.dashboard('api_keys').update({ key_hash: name });
      await databases.dashboard('blogs').where({ id: BLOGS[3] }).update({ title: name });
      await databases.dashboard('tags').update({ slug: name });
    }

    /** Expects that undisturbed workers finish the work. */
    async function recovers(): Promise<void> {
      for (let isDone = false, workers = 0; !isDone && workers < MAX_WORKERS; workers++) {
        const next = worker();
        try {
          await next.finish();
          isDone = !next.isOver;
        } finally {
          await next.end();
        }
      }
      expect(await databases.present()).to.deep.equal(await databases.expected());
      expect(await databases.queueLength(), 'changes in the queue').to.equal(0);
      expect((await databases.unfinishedJobs()).map(({ scope }) => scope)).to.deep.equal(['reconcile']);
      expect(await databases.repairs(), 'repairs').to.equal(0);
    }

    /** Between two calls a worker changes nothing outside, so every other boundary stands for its neighbour. */
    it('loses nothing when it dies between any two calls of its ports', async () => {
      let isDone = false;
      for (let boundary = 1; !isDone && boundary <= MOST_BOUNDARIES; boundary += 2) {
        await edit(`edit-${boundary}`);
        const dying = worker();
        await dying.continueFor(boundary);
        await dying.die();
        isDone = (await databases.queueLength()) === 0 && (await databases.unfinishedJobs()).length === 1;
        await recovers();
      }
      expect(isDone).to.equal(true);
    });
  });
}
