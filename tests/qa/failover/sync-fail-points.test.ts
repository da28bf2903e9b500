import { expect } from 'chai';
import { eventually } from '../../../src/contracts/support/eventually.js';
import type { ReadModelWriter } from '../../../src/domain/ports/read-model-writer.js';
import { SyncedDatabases } from '../../support/sync/synced-databases.js';
import { MysqlSyncedDatabases } from '../support/dashboards/mysql-synced-databases.js';
import { PublishingDatabases } from '../support/dashboards/publishing-databases.js';
import type { Boundary } from '../support/sync/watched-ports.js';
import { CrashingWorker } from './crashing-worker.js';
import { recovers } from './recovers.js';

/**
 * The points at which a worker can die. Between two calls of its ports it changes nothing outside, so dying after one
 * call equals dying before the next. During a read of the feed, the changes are read and their rows are not.
 */
const FAIL_POINTS: readonly Boundary[] = [
  ...(
    [
      'claim',
      'read',
      'read',
      'write',
      'publish',
      'acknowledge',
      'next',
      'keys',
      'existing',
      'keys of rows',
    ] as const
  ).map((call): Boundary => `before ${call}`),
  'during read of the feed',
];
/** Ids that have the right type in each of the dashboards. */
const BLOGS = Array.from({ length: 20 }, (_, n) => `00000000-0000-4000-8000-0000000000${10 + n}`);
const CONTENT = [
  `insert into organizations (id, name) values ('org', 'Organization')`,
  `insert into websites (id, organization_id, name) values ('1', 'org', 'Website')`,
  `insert into api_keys (id, organization_id, key_hash) values ('1', 'org', 'hash')`,
  `insert into tags (id, website_id, name, slug) values ('1', '1', 'a', 'few')`,
  `insert into categories (id, website_id, name, slug) values ('1', '1', 'a', 'many')`,
  ...BLOGS.map(
    (id) =>
      `insert into blogs (id, website_id, title, slug, status, published_at) values ('${id}', '1', 'Title', '${id}', 'published', now())`,
  ),
  'insert into blog_categories select blogs.id, categories.id from blogs, categories',
  ...BLOGS.slice(1, 3).map((id) => `insert into blog_tags values ('${id}', '1')`),
];
/** The number of processes that start in advance. */
const STANDING_BY = 2;

const DASHBOARDS = [
  { name: 'the reference schema', create: () => SyncedDatabases.create() },
  { name: 'other tables', create: () => PublishingDatabases.create() },
  {
    name: 'MariaDB tables',
    create: (context: Mocha.Context) => MysqlSyncedDatabases.createIn(context),
  },
];

for (const { name, create } of DASHBOARDS) {
  describe(`A worker of a dashboard with ${name}`, function () {
    // About forty workers die one after the other.
    this.timeout(900_000);
    let databases: SyncedDatabases;
    let standingBy: CrashingWorker[] = [];
    let edits = 0;

    before(async function () {
      databases = await create(this);
      for (const statement of CONTENT) await databases.dashboard.raw(databases.inItsTables(statement));
      await recover();
      standingBy = Array.from({ length: STANDING_BY }, () => new CrashingWorker(databases));
    });

    after(async () => {
      await Promise.all(standingBy.map((worker) => worker.kill()));
      await databases?.close();
    });

    function crashingWorker(): CrashingWorker {
      standingBy.push(new CrashingWorker(databases));
      return standingBy.shift() as CrashingWorker;
    }

    /** Edits a key, a blog, and a tag of two other blogs: one of each kind of step. */
    async function edit(): Promise<void> {
      edits += 1;
      const name = `edit-${edits}`;
      await databases.dashboard('api_keys').update({ key_hash: name });
      await databases.dashboard('blogs').where({ id: BLOGS[3] }).update({ title: name });
      await databases.dashboard('tags').update({ slug: name });
    }

    const recover = (watch?: (writer: ReadModelWriter) => ReadModelWriter) => recovers(databases, watch);

    it('loses nothing when it is killed between any two calls of its ports', async () => {
      let deaths = 0;
      let hasDied = true;
      // The number of boundaries differs between workers: after a slow step, the next one has fewer rows.
      while (hasDied) {
        await edit();
        hasDied = await crashingWorker().diesAt(deaths + 1, FAIL_POINTS);
        if (hasDied) deaths++;
        await recover();
      }
      expect(deaths).to.be.greaterThan(30);
    });

    const statements = [
      { during: 'its write', hold: () => databases.holdBlogs() },
      { during: 'its acknowledgement', hold: () => databases.holdQueue() },
    ];
    for (const { during, hold } of statements) {
      it(`loses nothing when it is killed during ${during}`, async () => {
        await edit();
        const release = await hold();
        try {
          const worker = crashingWorker();
          await worker.begin();
          await eventually(async () => {
            expect(await databases.waitingWorkers()).to.equal(1);
          });
          await worker.kill();
        } finally {
          await release();
        }
        await recover();
      });
    }

    /** Expects that the next worker continues this job, of which a killed worker did some steps. */
    async function expectContinued(scope: string): Promise<void> {
      const job = (await databases.unfinishedJobs()).find((each) => each.scope === scope);
      if (job === undefined || job.progress === null) throw new Error(`No job ${scope} is half done`);
      const { stage, after } = job.progress;
      expect(BLOGS, 'the last blog that is done').to.include(after);
      const steps: { readonly stage: number; readonly ids: readonly string[] }[] = [];
      await recover((writer) => ({
        write: (epoch, update) => {
          const ids = update.slices.flatMap((slice) => slice.ids);
          for (const each of update.work) {
            if (each.kind === 'advance' && each.id === job.id)
              steps.push({ stage: each.progress.stage, ids });
          }
          return writer.write(epoch, update);
        },
        differing: (slice) => writer.differing(slice),
        hiddenWebsites: () => writer.hiddenWebsites(),
        nextOrganizations: (after, limit) => writer.nextOrganizations(after, limit),
        keys: (kind, from, limit) => writer.keys(kind, from, limit),
      }));
      const left = BLOGS.slice(BLOGS.indexOf(after ?? '') + 1);
      expect(left).to.not.deep.equal([]);
      expect(steps[0], 'where the next one continues').to.deep.equal({ stage, ids: left });
      expect(steps.filter((step) => step.stage < stage)).to.deep.equal([]);
    }

    it('is continued by the next worker at the same point when it is killed during a rebuild', async () => {
      await recover();
      // Rows without differences are not written.
      await databases.readTables('content_read.blogs').update({ word_count: 77 });
      await databases.requestEverything();
      expect(await crashingWorker().diesAt(15, ['after write'])).to.equal(true);
      await expectContinued('everything');
    });

    it('is continued by the next worker at the same point when it is killed during a fan-out to many blogs', async () => {
      await recover();
      await databases.dashboard.raw(`update categories set name = 'b'`);
      expect(await crashingWorker().diesAt(5, ['after write'])).to.equal(true);
      await expectContinued('categories');
    });
  });
}
