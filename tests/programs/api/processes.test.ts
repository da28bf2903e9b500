import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { exists } from '../../support/exists.js';
import { askOperators } from '../../support/programs/ask-operators.js';
import { runProgram } from '../../support/programs/program.js';
import { sharedRedis } from '../../support/redis/test-redis.js';
import { ApiGroup, KeptConnection, SteadyClients } from './api-group.js';

const PROCESSES = 2;
const CLIENTS = 8;
const OK = { status: 'ok' };
const COUNTED = 'blog_read_api_requests_total{route="/api/v1/tags",status="200"}';

describe('`api --processes`', () => {
  const redis = sharedRedis();
  const databaseFile = join(tmpdir(), `read-database-url-${process.pid}`);
  let key: string;
  let databaseUrl: string;
  let group: ApiGroup;

  before(async () => {
    const dashboard = await Dashboard.create(1);
    key = dashboard.tenant().key;
    databaseUrl = dashboard.readDatabaseUrl;
    await writeFile(databaseFile, databaseUrl);
  });

  after(() => rm(databaseFile, { force: true }));

  const start = (environment: Record<string, string> = {}) =>
    ApiGroup.start(PROCESSES, {
      READ_DATABASE_URL_FILE: databaseFile,
      REDIS_URL: redis().url,
      ...environment,
    });
  const clients = (count = CLIENTS) =>
    Array.from({ length: count }, () => new KeptConnection(group.address, key));
  const isGone = async (pid: number) => expect(await exists(`/proc/${pid}`), String(pid)).to.equal(false);

  describe('while it runs,', () => {
    /** The number of requests so far, including those on the operators' port. */
    let requestCount = 0;

    before(async () => {
      group = await start();
      await group.isReady();
    });

    after(() => group?.program.end('SIGKILL'));

    it('has one port in several processes, which log their process ids', async () => {
      expect(new Set(group.pids)).to.have.length(PROCESSES);
      expect(new Set(await group.children())).to.deep.equal(new Set(group.pids));
      expect(group.pids).not.to.include(group.program.pid);
      const [first] = group.logged('API processes start');
      expect(first).to.include({ pid: group.program.pid, processes: PROCESSES, mostDatabaseConnections: 20 });
    });

    it('adds up the metrics of all processes, and shares the load', async () => {
      const ids = await Promise.all(clients().map((client) => client.ask()));
      requestCount += ids.length;
      expect(await group.sample(COUNTED)).to.equal(requestCount);
      expect(
        await group.sample('blog_read_api_request_duration_seconds_count{route="/api/v1/tags"}'),
      ).to.equal(requestCount);
      expect(await group.sample('blog_read_api_processes')).to.equal(PROCESSES);
      expect(await group.sample('blog_read_api_redis_breaker_open')).to.equal(0);
      await eventually(() => {
        const lines = group
          .logged('"msg":"request"')
          .filter(({ requestId }) => ids.includes(String(requestId)));
        expect(lines).to.have.length(ids.length);
        expect(new Set(lines.map(({ pid }) => pid))).to.deep.equal(new Set(group.pids));
      });
    });

    it("serves the health of its parts, the API description and the API itself on the operators' port", async () => {
      expect(await group.readiness()).to.deep.equal({
        code: 200,
        status: 'ready',
        checks: { processes: OK, readDatabase: OK, migrations: OK, redis: OK, redisCache: OK },
      });
      expect((await askOperators(group.adminAddress, '/livez')).status).to.equal(200);
      expect((await askOperators(group.adminAddress, '/openapi.json')).text).to.equal(
        await readFile('docs/openapi.json', 'utf8'),
      );
      const answer = await fetch(`${group.adminAddress}/api/v1/tags`, { headers: { 'X-API-Key': key } });
      requestCount += 1;
      expect([answer.status, await answer.json()]).to.deep.equal([200, { data: [] }]);
      expect((await askOperators(group.adminAddress, '/api/v1/tags')).status).to.equal(401);
    });

    it('replaces all processes on SIGHUP, fails no request, and keeps its counts', async () => {
      const old = group.pids;
      const load = new SteadyClients(clients());
      process.kill(group.program.pid, 'SIGHUP');
      await group.program.printed(/rolling restart has ended/);
      await load.stop();
      requestCount += load.answered;
      expect(load.failures, JSON.stringify(group.logged('"level":50'))).to.deep.equal([]);
      expect(load.answered).to.be.greaterThan(CLIENTS);
      for (const pid of old) await isGone(pid);
      expect(await group.children()).to.have.length(PROCESSES);
      expect(await group.sample(COUNTED)).to.equal(requestCount);
    });

    it('replaces a killed process, and fails no request of another one', async () => {
      const [victim] = await group.children();
      const all = clients();
      const ids = await Promise.all(all.map((client) => client.ask()));
      const ofVictim = await eventually(() => {
        const lines = group
          .logged('"msg":"request"')
          .filter(({ requestId }) => ids.includes(String(requestId)));
        expect(lines).to.have.length(ids.length);
        return new Set(lines.filter(({ pid }) => pid === victim).map(({ requestId }) => requestId));
      });
      expect(ofVictim.size).to.be.within(1, CLIENTS - 1);
      const load = new SteadyClients(all.filter((_, at) => !ofVictim.has(ids[at])));
      process.kill(Number(victim), 'SIGKILL');
      await eventually(async () =>
        expect(await group.sample('blog_read_api_processes_lost_total')).to.equal(1),
      );
      await group.isReady();
      await load.stop();
      expect(load.failures).to.deep.equal([]);
      expect(load.answered).to.be.greaterThan(0);
      expect(group.logged('is replaced')).to.have.nested.property('[0].ofPid', victim);
    });

    it('keeps the old processes if new ones do not start, and waits longer before each new attempt', async () => {
      const [one, other] = await group.children();
      await writeFile(databaseFile, 'nothing');
      process.kill(group.program.pid, 'SIGHUP');
      await group.program.printed(/rolling restart canceled/);
      expect(await group.sample('blog_read_api_restarts_failed_total')).to.equal(1);
      expect(await group.children()).to.have.members([one, other]);

      process.kill(Number(one), 'SIGKILL');
      const waits = await eventually(() => {
        const delays = group.logged('is replaced').map(({ inMs }) => Number(inMs));
        expect(delays.at(-1)).to.be.at.least(1_000);
        return delays;
      });
      expect(waits.slice(-2)[1]).to.be.greaterThan(waits.slice(-2)[0] ?? Number.NaN);
      expect(await group.readiness()).to.deep.include({
        code: 200,
        status: 'degraded',
      });
      expect((await group.readiness()).checks.processes.reason).to.equal('1 of 2 processes answer');
      await writeFile(databaseFile, databaseUrl);
      await group.isReady();
    });

    it('does not answer the liveness probe while one of its processes hangs', async () => {
      const [frozen] = await group.children();
      process.kill(Number(frozen), 'SIGSTOP');
      const alive = askOperators(group.adminAddress, '/livez');
      try {
        const report = await group.readiness();
        expect(report).to.include({ code: 200, status: 'degraded' });
        expect(report.checks.processes.reason).to.equal('1 of 2 processes answer');
        expect(await group.sample(COUNTED)).to.be.at.least(requestCount);
        expect(await Promise.race([alive, Promise.resolve('not yet')])).to.equal('not yet');
      } finally {
        process.kill(Number(frozen), 'SIGCONT');
      }
      expect((await alive).status).to.equal(200);
    });
  });

  it('keeps the port that the system has chosen if all processes end at once', async () => {
    group = await start();
    try {
      await group.isReady();
      const client = new KeptConnection(group.address, key);
      await client.ask();
      const ended = await group.children();
      for (const pid of ended) process.kill(pid, 'SIGKILL');
      await eventually(async () => {
        const living = await group.children();
        expect(living).to.have.length(PROCESSES);
        expect(living).not.to.include.members([...ended]);
      });
      await eventually(() => client.ask());
      client.close();
      await group.isReady();
    } finally {
      await group.program.end('SIGKILL');
    }
  });

  it('keeps serving after SIGHUP if it is one process, and logs the reason', async () => {
    const one = await ApiGroup.start(1, { READ_DATABASE_URL: databaseUrl, REDIS_URL: redis().url });
    try {
      process.kill(one.program.pid, 'SIGHUP');
      await one.program.printed(/SIGHUP is ignored: one process cannot be replaced without a gap/);
      await new KeptConnection(one.address, key).ask();
    } finally {
      await one.program.end('SIGKILL');
    }
  });

  describe('when it ends,', () => {
    afterEach(() => group?.program.end('SIGKILL'));

    it('fails no request while it drains, exits with 0 and ends all of its processes', async () => {
      group = await start({ DRAIN_SECONDS: '1' });
      const pids = await group.children();
      const load = new SteadyClients(clients());
      const exited = group.program.end('SIGTERM');
      await eventually(async () =>
        expect(await group.readiness()).to.deep.include({ code: 503, status: 'draining' }),
      );
      await load.stop();
      expect(load.failures).to.deep.equal([]);
      expect(await exited).to.equal(0);
      for (const pid of pids) await isGone(pid);
    });

    it('leaves no process behind if the first one is killed, even with extensions in each process', async () => {
      group = await start({ EXTENSIONS: './tests/support/programs/own-store.mjs', OWN_TAGS: 'a' });
      await group.isReady();
      const pids = await group.children();
      expect(pids).to.have.length(PROCESSES);
      const loaded = group.logged('extension loaded').map(({ pid }) => pid);
      expect(loaded).to.have.members([...pids]);
      await group.program.end('SIGKILL');
      for (const pid of pids) await eventually(() => isGone(pid));
    });
  });

  describe('does not start', () => {
    const run = (environment: Record<string, string>) =>
      runProgram(['api', '--processes', String(PROCESSES)], {
        READ_DATABASE_URL: databaseUrl,
        REDIS_URL: redis().url,
        HOST: '127.0.0.1',
        PORT: '0',
        ADMIN_PORT: '0',
        LOG_LEVEL: 'warn',
        ...environment,
      });

    it('if the port is taken, which it reports once', async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const { code, output } = await run({ PORT: String(port) });
      server.close();
      expect([code, output]).to.deep.equal([
        1,
        `Port ${port} of 127.0.0.1 is taken: stop the program that uses it, or set PORT to another one.\n`,
      ]);
    });

    it('if a setting is invalid, or if each process would have its own limit', async () => {
      const wrong = await run({ PORT: 'x', RATE_LIMIT_MAX: 'y' });
      expect(wrong.code).to.equal(78);
      expect(wrong.output.trim().split('\n')).to.have.length(3);
      const withoutRedis = await run({ REDIS_URL: '' });
      expect(withoutRedis.code).to.equal(78);
      expect(withoutRedis.output).to.include(
        'REDIS_URL is missing: each of 2 processes would apply the limit of every key',
      );
    });
  });
});
