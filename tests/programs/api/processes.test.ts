import { readFile } from 'node:fs/promises';
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
  let key: string;
  let databaseUrl: string;
  let group: ApiGroup;

  before(async () => {
    const dashboard = await Dashboard.create(1);
    key = dashboard.tenant().key;
    databaseUrl = dashboard.readDatabaseUrl;
  });

  const start = (environment: Record<string, string> = {}) =>
    ApiGroup.start(PROCESSES, {
      READ_DATABASE_URL: databaseUrl,
      REDIS_URL: redis().url,
      ...environment,
    });
  const clients = (count = CLIENTS) =>
    Array.from({ length: count }, () => new KeptConnection(group.address, key));
  const hasCounted = (count: number) =>
    eventually(async () => expect(await group.sample(COUNTED)).to.equal(count));
  const isGone = async (pid: number) => expect(await exists(`/proc/${pid}`), String(pid)).to.equal(false);

  describe('while it runs,', () => {
    /** The number of requests so far. */
    let requestCount = 0;

    before(async () => {
      group = await start({ DRAIN_SECONDS: '5' });
      await group.isReady();
    });

    after(() => group?.program.end('SIGKILL'));

    it('has one port in several processes, which log their process ids', async () => {
      expect(new Set(group.pids)).to.have.length(PROCESSES);
      expect(new Set(await group.children())).to.deep.equal(new Set(group.pids));
      expect(group.pids).not.to.include(group.program.pid);
      const [first] = group.logged('API processes start');
      expect(first).to.include({ pid: group.program.pid, processes: PROCESSES });
    });

    it('adds up the metrics of all processes, and shares the load', async () => {
      const ids = await Promise.all(clients().map((client) => client.ask()));
      requestCount += ids.length;
      await hasCounted(requestCount);
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

    it("serves the health of its parts and the API description on the operators' port", async () => {
      expect(await group.readiness()).to.deep.equal({
        code: 200,
        status: 'ready',
        checks: {
          processes: OK,
          readDatabase: OK,
          migrations: OK,
          rights: OK,
          syncAge: OK,
          redis: OK,
          redisCache: OK,
        },
      });
      expect((await askOperators(group.adminAddress, '/livez')).status).to.equal(200);
      expect((await askOperators(group.adminAddress, '/openapi.json')).text).to.equal(
        await readFile('docs/openapi.json', 'utf8'),
      );
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
      await hasCounted(requestCount);
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

    it('fails no request while it drains, exits with 0 and ends all of its processes', async () => {
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
  });

  it('does not start if each process would have its own limit', async () => {
    const { code, output } = await runProgram(['api', '--processes', String(PROCESSES)], {
      READ_DATABASE_URL: databaseUrl,
    });
    expect(code).to.equal(78);
    expect(output).to.include('REDIS_URL is missing: each of 2 processes would apply the limit of every key');
  });
});
