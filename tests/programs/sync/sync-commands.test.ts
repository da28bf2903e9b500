import { expect } from 'chai';
import pg from 'pg';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { settlesWithin } from '../../support/clock/settles-within.js';
import { RunningProgram } from '../../support/programs/program.js';
import { environmentOf, leads, programsOn } from '../../support/programs/running-programs.js';
import { SyncedDatabases } from '../../support/sync/synced-databases.js';

const BLOGS = 2_000;
/** In the order of ids. */
const FIRST = 'blog_1';
const IN_THE_MIDDLE = 'blog_2';
const IDLE_LOOKS = 10;
const CONTENT = `
  insert into organizations (id, name) values ('org', 'Organization');
  insert into websites (id, organization_id, name) values ('web', 'org', 'Website');
  insert into categories (id, website_id, name, slug) values ('cat', 'web', 'News', 'news');
  insert into blogs (id, website_id, title, slug, status, published_at)
  select 'blog_' || n, 'web', 'Blog ' || n, 'blog-' || n, 'published', now() from generate_series(1, ${BLOGS}) as n;
  insert into blog_categories (blog_id, category_id) select id, 'cat' from blogs;`;

describe('npm run sync', () => {
  let databases: SyncedDatabases;
  const start = programsOn(() => databases);
  const holders: pg.Client[] = [];

  before(async () => {
    databases = await SyncedDatabases.create();
    await databases.dashboard.raw(CONTENT);
    // A fill needs no queue.
    await databases.dashboard.raw('truncate content_sync.change_queue');
  });

  afterEach(async () => {
    await release();
  });

  after(async () => {
    await databases?.close();
  });

  /** Every session waits for this lock until the test releases it. So a long job stops halfway. */
  async function hold(url: string, lock: string): Promise<void> {
    const holder = new pg.Client(url);
    await holder.connect();
    holders.push(holder);
    await holder.query('begin');
    await holder.query(lock);
  }

  /** Locks a row that has to be written: a row without a difference is only read. */
  async function holdInTheMiddle(): Promise<void> {
    await databases
      .readTables('content_read.blogs')
      .where({ id: IN_THE_MIDDLE })
      .update({ title: 'Spoiled' });
    await hold(
      databases.readDatabaseUrl,
      `select from content_read.blogs where id = '${IN_THE_MIDDLE}' for update`,
    );
  }

  async function release(): Promise<void> {
    await Promise.all(holders.splice(0).map((holder) => holder.end()));
  }

  const run = async (...args: readonly string[]) => {
    const program = start('sync', ...args);
    return { code: await program.exitCode(), output: program.output };
  };

  async function endCleanly(worker: RunningProgram): Promise<void> {
    expect(await worker.end('SIGTERM')).to.equal(0);
  }

  /** Running commands count, too. */
  async function workersConnected(): Promise<number> {
    const { rows }: { rows: [{ workers: number }] } = await databases.dashboard.raw(`
      select count(*)::int as workers from pg_stat_activity
      where datname = current_database() and application_name = 'blog-read-api sync'`);
    return rows[0].workers;
  }

  async function epoch(): Promise<number> {
    const [row] = await databases.readTables('content_read.sync_leader').select('epoch');
    return Number(row.epoch);
  }

  async function expectNoDifference(): Promise<void> {
    expect(await databases.present()).to.deep.equal(await databases.expected());
  }

  const firstBlog = () => databases.readTables('content_read.blogs').where({ id: FIRST });

  /** Writes from another session, although only the worker may write. */
  async function writeFromOutside(): Promise<void> {
    await firstBlog().update({ title: 'Spoiled' });
  }

  /**
   * Stops the worker between two transactions, and moves its last sign of life into the future: however long it
   * stands still, it does not count as frozen, and no server ends its session.
   */
  async function stop({ pid }: RunningProgram): Promise<void> {
    await eventually(async () => {
      process.kill(pid, 'SIGSTOP');
      // A statement that is on its way reaches its session while several of these are answered.
      for (let looks = 0; looks < IDLE_LOOKS; looks++) {
        if (await isIdle()) continue;
        process.kill(pid, 'SIGCONT');
        throw new Error('It is in a transaction');
      }
    });
    await databases
      .readTables('content_read.sync_leader')
      .update({ beat_at: databases.readTables.raw(`now() + interval '1 day'`) });
  }

  /**
   * Does something to a worker that is stopped for a while. A call that was under way is over its time limit after ten
   * seconds. If another worker leads afterwards, the test could not observe what it expects, so this starts again.
   */
  async function whileItLeads(happens: () => Promise<void>): Promise<void> {
    for (;;) {
      const before = await epoch();
      const failure = await happens().then(
        () => null,
        (error: unknown) => error,
      );
      if ((await epoch()) !== before) continue;
      if (failure !== null) throw failure;
      return;
    }
  }

  /** Whether the only worker has neither a transaction nor a statement in progress. */
  async function isIdle(): Promise<boolean> {
    const names = [databases.writeDatabaseUrl, databases.readDatabaseUrl].map((url) =>
      new URL(url).pathname.slice(1),
    );
    const { rows }: { rows: { state: string }[] } = await databases.dashboard.raw(
      `select state from pg_stat_activity
       where datname = any(:names::text[]) and application_name = 'blog-read-api sync'`,
      { names },
    );
    return rows.every(({ state }) => state === 'idle');
  }

  async function changeAll(text: string): Promise<void> {
    await databases.dashboard('blogs').update({ excerpt: text });
    await databases.dashboard('categories').update({ name: text });
  }

  /** Returns how many blogs are done when this is first printed. */
  async function progressOf(rebuild: RunningProgram): Promise<number> {
    return Number(await rebuild.printed(/blogs +\d+ % \((\d+)\/2000\)/));
  }

  it('exits with 0 on SIGTERM in the middle of the first fill, and the next one continues', async () => {
    await hold(databases.writeDatabaseUrl, 'lock table blogs in access exclusive mode');
    const worker = await leads(start('sync'));
    const fill = async () => (await databases.unfinishedJobs()).find(({ scope }) => scope === 'everything');
    await eventually(async () => expect((await fill())?.progress?.stage).to.equal(6));
    await endCleanly(worker);
    expect((await fill())?.progress?.stage).to.equal(6);

    await release();
    expect((await run('--once')).code).to.equal(0);
    await expectNoDifference();
  });

  describe('beside a worker that runs,', () => {
    let worker: RunningProgram;

    before(async () => {
      worker = await leads(new RunningProgram(['sync'], environmentOf(databases)));
    });
    after(() => worker?.end('SIGKILL'));

    it('--once waits until a running worker has applied everything', async () => {
      await whileItLeads(async () => {
        await stop(worker);
        await changeAll(`news ${await epoch()}`);
        const once = start('sync', '--once');
        await eventually(async () => expect(await workersConnected()).to.equal(2));
        expect(await settlesWithin(once.exitCode(), 1_000)).to.equal(false);
        process.kill(worker.pid, 'SIGCONT');
        expect(await once.exitCode()).to.equal(0);
        expect(once.output).to.equal('All changes are applied.\n');
      });
      await expectNoDifference();
    });

    it('--rebuild has a running worker do it, and exits with 0 when it is done', async () => {
      await whileItLeads(async () => {
        await stop(worker);
        await writeFromOutside();
        const rebuild = start('sync', '--rebuild');
        await eventually(async () =>
          expect((await databases.unfinishedJobs()).at(-1)?.scope).to.equal('everything'),
        );
        process.kill(worker.pid, 'SIGCONT');
        expect(await rebuild.exitCode()).to.equal(0);
        expect(rebuild.output).to.match(/totals that differed: 1\.\n$/);
      });
      await expectNoDifference();
    });

    it('--rebuild shows the progress of a running worker, and continues by itself when that worker ends', async () => {
      await holdInTheMiddle();
      const rebuild = start('sync', '--rebuild');
      expect(await progressOf(rebuild)).to.be.within(1, BLOGS - 1);
      await endCleanly(worker);
      await release();
      expect(await rebuild.exitCode()).to.equal(0);
      expect(rebuild.output).to.contain('this worker leads').and.to.contain('totals that differed: 1.');
    });
  });

  it('--rebuild continues one that was killed, and does not start again', async () => {
    await holdInTheMiddle();
    const killed = start('sync', '--rebuild');
    const done = await progressOf(killed);
    await killed.end('SIGKILL');
    await release();
    await writeFromOutside();

    const next = start('sync', '--rebuild');
    expect(await progressOf(next)).to.be.at.least(done);
    expect(await next.exitCode()).to.equal(0);
    expect(await firstBlog().pluck('title')).to.deep.equal(['Spoiled']);

    expect((await run('--rebuild')).output).to.contain('totals that differed: 1.');
    await expectNoDifference();
  });
});
