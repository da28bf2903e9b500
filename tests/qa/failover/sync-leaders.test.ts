import { expect } from 'chai';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { RunningProgram } from '../../support/programs/program.js';
import { SyncedDatabases } from '../../support/sync/synced-databases.js';

const LEADS = /this worker leads/;
const FAILS = /syncing: failed and is retried/;

describe('Of several sync workers', () => {
  let databases: SyncedDatabases;
  let programs: RunningProgram[] = [];
  let edits = 0;

  before(async () => {
    databases = await SyncedDatabases.create();
    await databases.dashboard.raw(`
      insert into organizations (id, name) values ('org', 'Organization');
      insert into websites (id, organization_id, name) values ('web', 'org', 'Website');
      insert into blogs (id, website_id, title, slug, status, published_at)
      values ('blog', 'web', 'First', 'slug', 'published', now());`);
  });

  afterEach(async () => {
    await Promise.all(programs.map((program) => program.end('SIGKILL')));
    programs = [];
  });

  after(async () => {
    await databases.close();
  });

  function start(): RunningProgram {
    const program = new RunningProgram(['sync'], {
      WRITE_DATABASE_URL: databases.writeDatabaseUrl,
      READ_DATABASE_URL: databases.readDatabaseUrl,
      SYNC_POLL_MS: '50',
    });
    programs.push(program);
    return program;
  }

  async function editGoesThrough(): Promise<void> {
    const title = `Edit ${++edits}`;
    await databases.dashboard('blogs').update({ title });
    await eventually(async () => expect(await titleShown()).to.equal(title));
  }

  async function titleShown(): Promise<string> {
    return (await databases.readTables('content_read.blogs').first())?.title;
  }

  async function epoch(): Promise<number> {
    return Number((await databases.readTables('content_read.sync_leader').first())?.epoch);
  }

  function leaders(): RunningProgram[] {
    return programs.filter(({ output }) => LEADS.test(output));
  }

  async function twoPrograms(): Promise<{ leader: RunningProgram; standby: RunningProgram }> {
    const leader = start();
    await leader.printed(LEADS);
    const standby = start();
    await eventually(async () => expect(await standbys()).to.equal(1));
    await editGoesThrough();
    expect(leaders()).to.deep.equal([leader]);
    return { leader, standby };
  }

  /**
   * The number of workers whose last statement was the unsuccessful claim, with its check whether the leader is
   * frozen.
   */
  async function standbys(): Promise<number> {
    const { rows } = await databases.readTables.raw(
      `select count(*)::int as standbys from pg_stat_activity
      where application_name = 'blog-read-api sync' and datname = current_database() and query like '%pg_terminate_backend%'`,
    );
    return rows[0].standbys;
  }

  it('one leads, and a standby replaces it at once when it is killed', async () => {
    const { leader, standby } = await twoPrograms();
    const before = await epoch();
    await leader.end('SIGKILL');
    await standby.printed(LEADS);
    expect(await epoch()).to.equal(before + 1);
    await editGoesThrough();
  });

  it('one that freezes is replaced, and becomes a standby when it resumes', async () => {
    const { leader, standby } = await twoPrograms();
    const before = await epoch();
    expect(leader.output).to.not.match(FAILS);
    process.kill(leader.pid, 'SIGSTOP');
    await standby.printed(LEADS);
    await editGoesThrough();

    process.kill(leader.pid, 'SIGCONT');
    await leader.printed(FAILS);
    // It is back with new connections, and claims leadership without success.
    await eventually(async () => expect(await standbys()).to.equal(1));
    await editGoesThrough();
    expect(leader.output.match(new RegExp(LEADS, 'g'))).to.have.lengthOf(1);
    expect(await epoch()).to.equal(before + 1);
    expect(await databases.present()).to.deep.equal(await databases.expected());
  });
});
