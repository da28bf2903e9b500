import { expect } from 'chai';
import { migrateDatabase } from '../../../src/adapters/sql/postgres/migrations/migrate-database.js';
import { DASHBOARD_MIGRATIONS } from '../../../src/composition/project-folders.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { migrate } from '../../../src/programs/migrate/migrate.js';
import { sendRequest } from '../../support/http/send-request.js';
import { TcpProxy } from '../../support/network/tcp-proxy.js';
import { runSql } from '../../support/postgres/run-sql.js';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';
import { askOperators } from '../../support/programs/ask-operators.js';
import { complaints } from '../../support/programs/doctor-findings.js';
import { RunningProgram, runProgram } from '../../support/programs/program.js';
import { addressOf, adminAddressOf, environmentOf, leads } from '../../support/programs/running-programs.js';
import { PostgresServer } from '../support/servers/postgres-server.js';

const MAX_SYNC_AGE_MS = 4_000;
/** A beat, a look of a process without requests, and the time that a request takes on a busy machine. */
const SLACK_MS = 3_000;
const CONTENT = `
  insert into organizations (id, name) values ('org', 'Org');
  insert into websites (id, organization_id, name) values ('web', 'org', 'Web');
  insert into blogs (id, website_id, title, slug, status, published_at)
    values ('blog', 'web', 'version 0', 'blog', 'published', now())`;

describe('API processes that read the primary or a standby', () => {
  const databases = { writeDatabaseUrl: '', readDatabaseUrl: '' };
  let readServer: PostgresServer;
  let standbyUrl: string;
  let toStandby: TcpProxy;
  let worker: RunningProgram;
  const running: RunningProgram[] = [];
  let onPrimary: RunningProgram;
  let onStandby: RunningProgram;
  let withoutStale: RunningProgram;
  let version = 0;

  before(async () => {
    readServer = await PostgresServer.start();
    databases.readDatabaseUrl = await readServer.createDatabase('content');
    databases.writeDatabaseUrl = await createTestDatabase();
    await migrateDatabase(databases.writeDatabaseUrl, DASHBOARD_MIGRATIONS);
    await migrate(databases, () => {});
    await commit(CONTENT);
    await readServer.addStandby();
    const url = readServer.urlOnStandby(new URL(databases.readDatabaseUrl).pathname.slice(1));
    toStandby = await TcpProxy.before(Number(new URL(url).port));
    standbyUrl = toStandby.url(url);
    worker = await leads(new RunningProgram(['sync'], environmentOf(databases)));
    onPrimary = start(databases.readDatabaseUrl);
    onStandby = start(standbyUrl);
    withoutStale = start(standbyUrl, { STALE_IF_ERROR_SECONDS: '0' });
  });
  after(async () => {
    await Promise.all([worker, ...running].map((program) => program?.end('SIGKILL')));
    await toStandby?.stop();
    await readServer?.stop();
  });

  function start(readDatabaseUrl: string, more: Readonly<Record<string, string>> = {}): RunningProgram {
    const api = new RunningProgram(['api'], {
      ...environmentOf({ ...databases, readDatabaseUrl }),
      ADMIN_PORT: '0',
      RATE_LIMIT_MAX: '1000000',
      MAX_SYNC_AGE_SECONDS: String(MAX_SYNC_AGE_MS / 1000),
      ...more,
    });
    running.push(api);
    return api;
  }
  const commit = (sql: string) => runSql(databases.writeDatabaseUrl, sql);
  async function newKey(): Promise<{ id: string; key: string }> {
    const created = await runProgram(
      ['keys', 'create', '--organization', 'org', '--json'],
      environmentOf(databases),
    );
    return JSON.parse(created.output);
  }
  const revoke = ({ id }: { id: string }) =>
    commit(`update api_keys set revoked_at = now() where id = '${id}'`);
  const ask = async (api: RunningProgram, key: string) =>
    sendRequest(await addressOf(api), '/api/v1/blogs/blog', { 'X-API-Key': key });
  const statusOf = async (api: RunningProgram, key: string) => (await ask(api, key)).status;
  const answers = (api: RunningProgram, key: string, status: number) =>
    eventually(async () => expect(await statusOf(api, key)).to.equal(status));
  const shows = (api: RunningProgram, key: string, title: string) =>
    eventually(async () => expect((await ask(api, key)).text).to.include(title));
  const replay = (what: 'pause' | 'resume') =>
    runSql(readServer.urlOnStandby('postgres'), `select pg_wal_replay_${what}()`);
  const readiness = async (api: RunningProgram) => {
    const { status, text } = await askOperators(await adminAddressOf(api), '/readyz');
    return { status, syncAge: JSON.parse(text).checks.syncAge };
  };

  /** How long the key is accepted from now on. Every answer before the refusal is a 200. */
  async function acceptedForMs(api: RunningProgram, key: string, refusal: number): Promise<number> {
    const since = performance.now();
    for (;;) {
      const status = await statusOf(api, key);
      const elapsed = performance.now() - since;
      if (status === refusal) return elapsed;
      expect(status).to.equal(200);
      expect(elapsed).to.be.below(MAX_SYNC_AGE_MS + SLACK_MS);
    }
  }

  it('follow edits and revocations on both, and are ready; a standby is asked for no notifications', async () => {
    const [kept, revoked] = [await newKey(), await newKey()];
    for (const api of [onPrimary, onStandby]) {
      for (const { key } of [kept, revoked]) await answers(api, key, 200);
    }
    await commit(`update blogs set title = 'version ${++version}'`);
    await revoke(revoked);
    for (const api of [onPrimary, onStandby]) {
      await shows(api, kept.key, `version ${version}`);
      await answers(api, revoked.key, 401);
      expect((await readiness(api)).status).to.equal(200);
    }
    expect(onStandby.output).not.to.include('listening for raised generations: failed');
    const doctor = {
      readDatabaseUrl: standbyUrl,
      writeDatabaseUrl: null,
      redisUrls: null,
      redisCacheUrls: null,
    };
    expect((await complaints(doctor)).filter((line) => !line.includes('redis'))).to.deep.equal([]);
  });

  it('refuse all, also a process that starts meanwhile, once the standby has got nothing for too long', async () => {
    const [kept, revoked] = [await newKey(), await newKey()];
    for (const { key } of [kept, revoked]) await answers(onStandby, key, 200);
    await replay('pause');
    try {
      await revoke(revoked);
      await answers(onPrimary, revoked.key, 401);
      await acceptedForMs(onStandby, revoked.key, 500);
      const late = start(standbyUrl);
      for (const api of [onStandby, withoutStale, late]) {
        for (const { key } of [kept, revoked, await newKey()]) expect(await statusOf(api, key)).to.equal(500);
        const { status, syncAge } = await readiness(api);
        expect([status, syncAge.status]).to.deep.equal([503, 'failed']);
        expect(syncAge.advice).to.include('MAX_SYNC_AGE_SECONDS');
      }
      expect(await statusOf(onPrimary, kept.key)).to.equal(200);
    } finally {
      await replay('resume');
    }
    await answers(onStandby, kept.key, 200);
    await answers(onStandby, revoked.key, 401);
    expect((await readiness(onStandby)).status).to.equal(200);
  });

  it('refuse all once the worker stands still for too long, on the primary too, where that is set', async () => {
    const { key } = await newKey();
    for (const api of [onPrimary, onStandby]) await answers(api, key, 200);
    process.kill(worker.pid, 'SIGSTOP');
    try {
      await Promise.all([onPrimary, onStandby].map((api) => acceptedForMs(api, key, 500)));
      expect((await readiness(onPrimary)).status).to.equal(503);
      const unlimited = start(databases.readDatabaseUrl, { MAX_SYNC_AGE_SECONDS: '' });
      expect(await statusOf(unlimited, key)).to.equal(200);
    } finally {
      process.kill(worker.pid, 'SIGCONT');
    }
    for (const api of [onPrimary, onStandby]) await answers(api, key, 200);
  });

  it('serve what they have, marked, while they cannot reach their server, at most as long; without stale answers nothing', async () => {
    const revoked = await newKey();
    for (const api of [onStandby, withoutStale]) await answers(api, revoked.key, 200);
    await toStandby.cut();
    try {
      const since = performance.now();
      await revoke(revoked);
      await answers(withoutStale, revoked.key, 500);
      expect(performance.now() - since).to.be.below(MAX_SYNC_AGE_MS);
      await acceptedForMs(onStandby, revoked.key, 500);
    } finally {
      await toStandby.restore();
    }
    for (const api of [onStandby, withoutStale]) await answers(api, revoked.key, 401);
  });

  it('go on when the primary dies, until the standby is promoted, and then follow it', async () => {
    const [kept, revoked] = [await newKey(), await newKey()];
    for (const api of [onPrimary, onStandby])
      for (const { key } of [kept, revoked]) await answers(api, key, 200);
    await readServer.caughtUp();
    await readServer.killPrimary();
    for (let n = 0; n < 10; n++) expect(await statusOf(onStandby, kept.key)).to.equal(200);
    await readServer.promote();
    await revoke(revoked);
    await commit(`update blogs set title = 'version ${++version}'`);
    for (const api of [onPrimary, onStandby]) {
      await shows(api, kept.key, `version ${version}`);
      await answers(api, revoked.key, 401);
    }
  });
});
