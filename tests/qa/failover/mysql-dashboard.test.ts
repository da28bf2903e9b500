import { expect } from 'chai';
import type { Knex } from 'knex';
import { mysqlIdentity } from '../../../src/adapters/sql/mysql/server-identity.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { openMysqlDashboard } from '../../support/dashboards/mysql-dashboard.js';
import { sendRequest } from '../../support/http/send-request.js';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';
import { type RunningProgram, runProgram } from '../../support/programs/program.js';
import { addressOf, environmentOf, leads, programsOn } from '../../support/programs/running-programs.js';
import { MariaDbServer } from '../support/servers/mariadb-server.js';
import { mariaDbForTests } from '../support/servers/test-mariadb.js';

const CONTENT = [
  `insert into organizations (id, name) values ('org', 'Organization')`,
  `insert into websites (id, organization_id, name) values ('web', 'org', 'Website')`,
  `insert into blogs (id, website_id, title, slug, status, published_at)
   values ('blog', 'web', 'first', 'slug', 'published', now()), ('other', 'web', 'first', 'other', 'published', now())`,
];

describe('With a MariaDB dashboard that fails, the worker', () => {
  let server: MariaDbServer;
  let databases: { readonly writeDatabaseUrl: string; readonly readDatabaseUrl: string };
  let key: string;
  let worker: RunningProgram;
  let address: string;
  const start = programsOn(() => databases);

  before(async function () {
    // Everything committed has to survive a kill.
    server = await MariaDbServer.start(await mariaDbForTests(this), ['--innodb-flush-log-at-trx-commit=1']);
    const writeDatabaseUrl = await server.createDatabase('dashboard');
    databases = { writeDatabaseUrl, readDatabaseUrl: await createTestDatabase() };
    for (const command of [['dashboard:migrate'], ['migrate']]) {
      expect((await runProgram(command, environmentOf(databases))).code).to.equal(0);
    }
    await edit(...CONTENT);
    const made = await runProgram(
      ['keys', 'create', '--organization', 'org', '--json'],
      environmentOf(databases),
    );
    key = JSON.parse(made.output).key;
  });

  after(async () => {
    await server?.stop();
  });

  beforeEach(async () => {
    worker = await leads(start('sync'));
    address = await addressOf(start('api'));
  });

  async function edit(...statements: readonly string[]): Promise<void> {
    await withDashboard(async (dashboard) => {
      for (const statement of statements) await dashboard.raw(statement);
    });
  }

  async function withDashboard<Result>(work: (dashboard: Knex) => Promise<Result>): Promise<Result> {
    const dashboard = openMysqlDashboard(databases.writeDatabaseUrl);
    return work(dashboard).finally(() => dashboard.destroy());
  }

  const rename = (title: string) => edit(`update blogs set title = '${title}' where id = 'blog'`);
  const shows = (title: string, blog = 'blog') =>
    eventually(async () => {
      const answer = await sendRequest(address, `/api/v1/blogs/${blog}`, { 'X-API-Key': key });
      expect(answer.status === 200 ? answer.json().data.title : answer.status).to.equal(title);
    });

  it('continues and misses nothing after the server was killed and started again', async () => {
    await rename('before the kill');
    await shows('before the kill');
    await rename('just before the kill');
    await server.kill();
    await worker.printed(/syncing: failed/);
    await server.startAgain();
    await shows('just before the kill');
    await rename('after the kill');
    await shows('after the kill');
  });

  it('continues after the server froze, and after it closed all sessions', async () => {
    server.pause();
    await worker.printed(/syncing: failed/);
    server.resume();
    await rename('after the frost');
    await shows('after the frost');
    await withDashboard(async (dashboard) => {
      const [sessions] = await dashboard.raw(
        `select id from information_schema.processlist where db = 'dashboard' and id <> connection_id()`,
      );
      for (const { id } of sessions) await dashboard.raw(`kill ${id}`).catch(() => {});
    });
    await rename('after the farewell');
    await shows('after the farewell');
  });

  it('forgets what the server lost because its disk is an earlier one', async () => {
    await rename('before the snapshot');
    await shows('before the snapshot');
    await server.rewind(async () => {
      await rename('after the snapshot');
      await shows('after the snapshot');
    });
    await shows('before the snapshot');
    // The check repairs so few rows as well. The server was started twice.
    expect(worker.output.split('a database failed over').length - 1).to.equal(2);
  });

  it('treats another server with the same data as a failover, and refuses a read-only server', async () => {
    const identity = () => withDashboard(mysqlIdentity);
    const before = await identity();
    expect(await identity()).to.deep.equal(before);
    await edit('set global server_id = 77');
    const { timeline, ...same } = await identity();
    expect(timeline).not.to.equal(before.timeline);
    expect(same).to.deep.equal({ systemIdentifier: before.systemIdentifier, databaseOid: '0' });
    await edit('set global read_only = 1');
    expect(await identity().catch((error: unknown) => error))
      .to.have.property('message')
      .that.contains('accepts no writes');
    await edit('set global read_only = 0');
    await worker.end('SIGTERM');
    worker = await leads(start('sync'));
    await worker.printed(
      /a database failed over, or was restarted, restored or replaced; everything is read again/,
    );
  });
});
