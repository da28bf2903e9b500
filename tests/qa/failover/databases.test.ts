import { expect } from 'chai';
import { migrateDatabase } from '../../../src/adapters/sql/postgres/migrations/migrate-database.js';
import { DASHBOARD_MIGRATIONS } from '../../../src/composition/project-folders.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { migrate } from '../../../src/programs/migrate/migrate.js';
import { sendRequest } from '../../support/http/send-request.js';
import { runSql } from '../../support/postgres/run-sql.js';
import { RunningProgram, runProgram } from '../../support/programs/program.js';
import { addressOf, environmentOf, leads } from '../../support/programs/running-programs.js';
import { PostgresServer } from '../support/servers/postgres-server.js';

const CONTENT = `
  insert into organizations (id, name) values ('org', 'Org');
  insert into websites (id, organization_id, name) values ('web', 'org', 'Web');
  insert into blogs (id, website_id, title, slug, status, published_at)
    values ('blog', 'web', 'First title', 'blog', 'published', now())`;

describe('After a database failed over to a standby that lacks its last commits,', () => {
  const databases = { writeDatabaseUrl: '', readDatabaseUrl: '' };
  let dashboardServer: PostgresServer;
  let readServer: PostgresServer;
  let worker: RunningProgram;
  let api: RunningProgram;
  let address: string;

  before(async () => {
    [dashboardServer, readServer] = [await PostgresServer.start(), await PostgresServer.start()];
    databases.writeDatabaseUrl = await dashboardServer.createDatabase('dashboard');
    databases.readDatabaseUrl = await readServer.createDatabase('content');
    await migrateDatabase(databases.writeDatabaseUrl, DASHBOARD_MIGRATIONS);
    await migrate(databases, () => {});
    await commit(CONTENT);
    await Promise.all([dashboardServer.addStandby(), readServer.addStandby()]);
    worker = await leads(new RunningProgram(['sync'], environmentOf(databases)));
    await startApi();
  });
  after(async () => {
    await Promise.all([api?.end('SIGKILL'), worker?.end('SIGKILL')]);
    await Promise.all([dashboardServer?.stop(), readServer?.stop()]);
  });

  /** Starts an API with empty caches. A test may send it any number of requests. */
  async function startApi(): Promise<void> {
    await api?.end('SIGKILL');
    api = new RunningProgram(['api'], { ...environmentOf(databases), RATE_LIMIT_MAX: '1000000' });
    address = await addressOf(api);
  }
  const commit = (sql: string) => runSql(databases.writeDatabaseUrl, sql);
  async function newKey(): Promise<{ id: string; key: string }> {
    const { code, output } = await runProgram(
      ['keys', 'create', '--organization', 'org', '--json'],
      environmentOf(databases),
    );
    expect(code, output).to.equal(0);
    return JSON.parse(output);
  }
  const get = (key: string, path = '/api/v1/blogs/blog') => sendRequest(address, path, { 'X-API-Key': key });
  async function shown(key: string, path?: string): Promise<string> {
    const answer = await get(key, path);
    return answer.status === 200 ? answer.json().data.title : String(answer.status);
  }
  const shows = (what: string, key: string, path?: string) =>
    eventually(async () => expect(await shown(key, path)).to.equal(what));
  const recovered = () => worker.output.split('a database failed over').length - 1;

  it('everything that the read tables lost is applied again, revocations first', async () => {
    const [kept, revoked] = [await newKey(), await newKey()];
    await shows('First title', kept.key);
    await shows('First title', revoked.key);
    await readServer.caughtUp();
    await readServer.stopReplicating();
    const added = await newKey();
    await commit(
      `update api_keys set revoked_at = now() where id = '${revoked.id}'; update blogs set title = 'Second title'`,
    );
    await shows('401', revoked.key);
    await shows('Second title', kept.key);
    await shows('Second title', added.key);

    await readServer.failOver();
    await startApi();

    await shows('401', revoked.key);
    await shows('Second title', kept.key);
    await shows('Second title', added.key);
    expect(recovered()).to.equal(1);
    expect(worker.output).to.contain('"readTables":"failed over"');
    // The new primary works without a standby, and further changes are shown.
    await commit(`update blogs set title = 'Third title'`);
    await shows('Third title', kept.key);
    expect(await shown(revoked.key)).to.equal('401');
    expect(recovered()).to.equal(1);
  });

  it('nothing that the dashboard lost is shown any more', async () => {
    const kept = await newKey();
    await shows('Third title', kept.key);
    await dashboardServer.caughtUp();
    await dashboardServer.stopReplicating();
    const lost = await newKey();
    await commit(`
      update blogs set title = 'Lost title';
      insert into blogs (id, website_id, title, slug, status, published_at) values ('lost', 'web', 'Lost', 'lost', 'published', now())`);
    await shows('Lost title', lost.key);
    await shows('Lost', kept.key, '/api/v1/blogs/lost');

    await dashboardServer.failOver();

    await shows('401', lost.key);
    await shows('Third title', kept.key);
    await shows('404', kept.key, '/api/v1/blogs/lost');
    expect(recovered()).to.equal(2);
    // The ids of the queue occur again.
    await commit(`update blogs set title = 'Fourth title'`);
    await shows('Fourth title', kept.key);
  });

  it('nor what it lost because its disk is an earlier one', async () => {
    const kept = await newKey();
    let lost = '';
    await shows('Fourth title', kept.key);

    await dashboardServer.rewind(async () => {
      lost = (await newKey()).key;
      await commit(`update blogs set title = 'Lost title'`);
      await shows('Lost title', lost);
    });

    await shows('401', lost);
    await shows('Fourth title', kept.key);
    // The check repairs so few rows as well. The server was started twice.
    expect(recovered()).to.equal(4);
  });
});
