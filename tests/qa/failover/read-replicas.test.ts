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
import { findings } from '../../support/programs/doctor-findings.js';
import { RunningProgram, runProgram } from '../../support/programs/program.js';
import { addressOf, adminAddressOf, environmentOf, leads } from '../../support/programs/running-programs.js';
import { sampleOf } from '../../support/programs/scrape.js';
import { sharedRedis } from '../../support/redis/test-redis.js';
import { PostgresServer } from '../support/servers/postgres-server.js';
import { WatchedVersions } from './watched-versions.js';

const READERS = 4;
const CONTENT = `
  insert into organizations (id, name) values ('org', 'Org');
  insert into websites (id, organization_id, name) values ('web', 'org', 'Web');
  insert into blogs (id, website_id, title, slug, status, published_at)
    values ('blog', 'web', 'version 0', 'blog', 'published', now())`;

describe('An API that reads content from two standbys', () => {
  const redis = sharedRedis();
  const databases = { writeDatabaseUrl: '', readDatabaseUrl: '' };
  let readServer: PostgresServer;
  let database: string;
  let toStandbys: readonly TcpProxy[] = [];
  let worker: RunningProgram;
  let api: RunningProgram;
  let address: string;
  let adminAddress: string;
  let replicas: readonly string[];
  let names: readonly string[];
  let key: string;
  let version = 0;
  let pages = 1;

  before(async () => {
    readServer = await PostgresServer.start();
    databases.readDatabaseUrl = await readServer.createDatabase('content');
    databases.writeDatabaseUrl = await createTestDatabase();
    database = new URL(databases.readDatabaseUrl).pathname.slice(1);
    await migrateDatabase(databases.writeDatabaseUrl, DASHBOARD_MIGRATIONS);
    await migrate(databases, () => {});
    await commit(CONTENT);
    await readServer.addStandby();
    await readServer.addStandby();
    const urls = [0, 1].map((at) => readServer.urlOnStandby(database, at));
    toStandbys = await Promise.all(urls.map((url) => TcpProxy.before(Number(new URL(url).port))));
    replicas = toStandbys.map((proxy, at) => proxy.url(urls[at] as string));
    names = replicas.map((url) => `${new URL(url).host}/${database}`);
    const environment = { ...environmentOf(databases), REDIS_URL: redis().url, ADMIN_PORT: '0' };
    worker = await leads(new RunningProgram(['sync'], environment));
    const created = await runProgram(['keys', 'create', '--organization', 'org', '--json'], environment);
    ({ key } = JSON.parse(created.output));
    api = new RunningProgram(['api'], {
      ...environment,
      READ_REPLICA_URLS: replicas.join(','),
      RATE_LIMIT_MAX: '10000000',
    });
    [address, adminAddress] = [await addressOf(api), await adminAddressOf(api)];
    await eventually(async () => expect((await ask(0)).status).to.equal(200));
  });
  after(async () => {
    await Promise.all([api?.end('SIGKILL'), worker?.end('SIGKILL')]);
    await Promise.all(toStandbys.map((proxy) => proxy.stop()));
    await readServer?.stop();
  });

  const commit = (sql: string) => runSql(databases.writeDatabaseUrl, sql);
  const edit = () => commit(`update blogs set title = 'version ${++version}'`);
  /** Each number up to 100 is a separate answer in the cache. */
  const ask = (number: number) =>
    sendRequest(address, `/api/v1/blogs?limit=${(number % 100) + 1}`, { 'X-API-Key': key });
  /** Requests a page for the first time, so that it is read from a database. */
  const requestUncached = () => sendRequest(address, `/api/v1/blogs?page=${++pages}`, { 'X-API-Key': key });
  const shows = (title: string) => eventually(async () => expect((await ask(0)).text).to.include(title));
  const counted = async (metric: string, name?: string) => {
    const scrape = (await askOperators(adminAddress, '/metrics')).text;
    return sampleOf(scrape, `blog_read_api_${metric}${name === undefined ? '' : `{replica="${name}"}`}`) ?? 0;
  };
  const readsOf = () => Promise.all(names.map((name) => counted('replica_reads_total', name)));
  const excluded = () => Promise.all(names.map((name) => counted('replica_excluded', name)));
  const replay = (what: 'pause' | 'resume', at: number) =>
    runSql(readServer.urlOnStandby('postgres', at), `select pg_wal_replay_${what}()`);

  /** A standby is not used for reads of data that it lacks until a probe finds that it has caught up. */
  async function replicasHaveAll(): Promise<void> {
    await edit();
    await shows(`version ${version}`);
    await readServer.caughtUp();
    await eventually(async () => {
      const before = await counted('replica_fallbacks_total');
      await requestUncached();
      expect(await counted('replica_fallbacks_total')).to.equal(before);
    });
  }

  /** Runs `work` while readers send requests: none may see an error, or a version older than one that was shown. */
  async function whileWatched(work: (watched: WatchedVersions) => Promise<void>): Promise<void> {
    const watched = new WatchedVersions(READERS, ask);
    try {
      await work(watched);
    } finally {
      await watched.stop();
    }
    expect(watched.wrong).to.deep.equal([]);
    expect(watched.answers).to.be.above(100);
  }
  /** Waits until each edit is shown before making the next one. */
  async function editTimes(times: number, watched: WatchedVersions): Promise<void> {
    for (let n = 0; n < times; n++) {
      await edit();
      await eventually(async () => expect(watched.newest).to.equal(version));
    }
  }

  it('shows no version older than a published one while one or both lag, and uses them again afterwards', async () => {
    await whileWatched(async (watched) => {
      await replay('pause', 0);
      await editTimes(5, watched);
      await replay('pause', 1);
      const before = await counted('replica_fallbacks_total');
      await editTimes(5, watched);
      expect(await counted('replica_fallbacks_total')).to.be.above(before);
      await replay('resume', 1);
      await editTimes(5, watched);
      await replay('resume', 0);
      await editTimes(5, watched);
    });
    await replicasHaveAll();
    const reads = await readsOf();
    for (let n = 0; n < 20; n++) await requestUncached();
    for (const [at, now] of (await readsOf()).entries()) expect(now).to.be.above(reads[at] ?? 0);
  });

  it('is reported by the doctor with both standbys', async () => {
    const found = await findings({
      readDatabaseUrl: databases.readDatabaseUrl,
      readReplicaUrls: replicas,
      writeDatabaseUrl: null,
      redisUrls: [redis().url],
      redisCacheUrls: null,
    });
    for (const name of names)
      expect(found.find(({ check }) => check === `read replica ${name}: server`)?.outcome).to.equal('ok');
  });

  it('excludes a standby that refuses and one that hangs, without an error, and uses both again later', async () => {
    await whileWatched(async (watched) => {
      await toStandbys[0]?.cut();
      await eventually(async () => expect(await excluded()).to.deep.equal([1, 0]));
      await editTimes(5, watched);
      toStandbys[1]?.freeze();
      await editTimes(5, watched);
      await eventually(async () => expect(await excluded()).to.deep.equal([1, 1]));
      // A busy primary may take longer than its check waits.
      await eventually(async () => {
        const { status, text } = await askOperators(adminAddress, '/readyz');
        expect([status, JSON.parse(text).checks.readReplicas.status]).to.deep.equal([200, 'degraded']);
        for (const name of names) expect(text).to.include(name);
      });
      await toStandbys[0]?.restore();
      toStandbys[1]?.release();
      await eventually(async () => expect(await excluded()).to.deep.equal([0, 0]));
      await editTimes(5, watched);
    });
    expect(api.output)
      .to.match(/a read replica is excluded/)
      .and.to.match(/a read replica is used again/);
  });

  it('continues without the primary, and during the promotion of a standby, without an error', async () => {
    await replicasHaveAll();
    await whileWatched(async (watched) => {
      await readServer.killPrimary();
      const reads = await readsOf();
      const { status, text } = await askOperators(adminAddress, '/readyz');
      const { readDatabase, migrations } = JSON.parse(text).checks;
      expect({ status, checks: [readDatabase.status, migrations.status] }, text).to.deep.equal({
        status: 200,
        checks: ['degraded', 'degraded'],
      });
      for (let n = 0; n < 100; n++) {
        const answer = await requestUncached();
        expect(answer.status, answer.text).to.equal(200);
      }
      const [one = 0, other = 0] = (await readsOf()).map((now, at) => now - (reads[at] ?? 0));
      expect(one + other).to.be.at.least(100);
      await readServer.promote();
      await editTimes(5, watched);
    });
    await eventually(async () => expect(await excluded()).to.deep.equal([0, 0]));
  });
});
