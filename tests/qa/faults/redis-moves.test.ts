import dns from 'node:dns';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import sinon from 'sinon';
import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.js';
import { apiContainer } from '../../../src/composition/api-container.js';
import { createPorts, extendedApi } from '../../../src/composition/extensions/extend.js';
import { NEEDED_BY_API } from '../../../src/composition/extensions/ports.js';
import { TOKENS } from '../../../src/composition/tokens.js';
import { MemoryReadModel } from '../../../src/contracts/fakes/memory-read-model.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { freshId } from '../../../src/contracts/support/fresh-id.js';
import { ApiUpkeep } from '../../../src/programs/api/api-upkeep.js';
import { TcpProxy } from '../../support/network/tcp-proxy.js';
import { bindReadSide } from '../../support/programs/extended-api.js';
import { RedisServer } from '../../support/redis/redis-server.js';
import { redisForTests } from '../../support/redis/test-redis.js';

const WINDOW = { limit: 50, lengthMs: 60_000 };
const ANSWER = { body: Buffer.from('body'), etag: '"tag"' };
const NAME = 'redis.example';
/** No primary exists there. A replica of it answers, and accepts no writes. */
const NOWHERE = ['127.0.0.1', 1] as const;

/** The adapters of one API process without a port. It reaches Redis at an address that can be moved. */
async function startProcess(url: string) {
  const model = new MemoryReadModel(new SystemClock());
  const extended = extendedApi([{ name: 'memory', api: (bind) => bindReadSide(bind, model) }], {});
  const created = apiContainer(
    {
      port: 0,
      host: '127.0.0.1',
      readDatabaseUrl: null,
      readReplicaUrls: [],
      window: WINDOW,
      cacheLifetimesMs: { list: 60_000, detail: 60_000 },
      staleIfErrorMs: 0,
      redisUrls: [url],
      redisCacheUrls: null,
      logLevel: 'silent',
      logPretty: false,
    },
    new PrometheusMetrics(),
    null,
    extended,
  );
  const { container } = created;
  createPorts(container, NEEDED_BY_API, extended.replaced);
  const upkeep = new ApiUpkeep(created);
  await upkeep.start();
  return {
    requests: container.get(TOKENS.requestLog),
    cache: container.get(TOKENS.responseCache),
    breaker: container.get(TOKENS.redisBreaker),
    stop: async () => {
      await upkeep.stop();
      await container.unbindAllAsync();
    },
  };
}

describe("When Redis's address moves and the old server remains as a replica,", () => {
  let servers: readonly [RedisServer, RedisServer];
  let clients: readonly [Redis, Redis];
  let address: TcpProxy;
  let processes: Awaited<ReturnType<typeof startProcess>>[] = [];

  before(async function () {
    const machine = await redisForTests(this);
    const start = () => RedisServer.start(machine, { settings: { 'repl-diskless-sync-delay': 0 } });
    servers = [await start(), await start()];
    clients = [new Redis(servers[0].url), new Redis(servers[1].url)];
  });
  after(async () => {
    for (const client of clients ?? []) client.disconnect();
    await Promise.all((servers ?? []).map((server) => server.stop()));
  });

  beforeEach(async () => {
    for (const client of clients) {
      await client.replicaof('NO', 'ONE');
      await client.flushall();
    }
    address = await TcpProxy.before(servers[0].port);
    const url = address.url(servers[0].url);
    processes = [await startProcess(url), await startProcess(url)];
  });
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((process) => process.stop()));
    await address.stop();
  });

  async function move(): Promise<void> {
    address.moveTo(servers[1].port);
    await clients[0].replicaof('127.0.0.1', servers[1].port);
  }

  it('limit and cache are shared again on the new server, without a restart', async () => {
    const [one, other] = processes;
    const key = { id: 'key', organizationId: freshId('org') };
    await one?.requests.record(key, WINDOW);
    await move();

    await eventually(async () => {
      const fresh = { ...key, id: freshId('key') };
      const states = [await one?.requests.record(fresh, WINDOW), await other?.requests.record(fresh, WINDOW)];
      expect(states.map((state) => state?.count)).to.deep.equal([1, 2]);
      const name = { ...key, generation: 1, request: freshId('request') };
      await one?.cache.put(name, ANSWER, 60_000);
      expect((await other?.cache.get(name))?.level).to.equal('shared');
    });
    expect(await clients[1].keys('*:requests:*')).not.to.deep.equal([]);
  });

  it('a DNS name is resolved again for each connection, so that limit and cache are shared on the new server', async () => {
    const system = dns.lookup as (name: string, ...rest: readonly unknown[]) => void;
    const lookUp = sinon.stub(dns, 'lookup');
    lookUp.callsFake(((name: string, ...rest: readonly unknown[]) =>
      system(name === NAME ? '127.0.0.1' : name, ...rest)) as typeof dns.lookup);
    const url = `redis://${NAME}:${address.port}`;
    try {
      const [one, other] = [await startProcess(url), await startProcess(url)];
      processes.push(one, other);
      const before = lookUp.withArgs(NAME).callCount;
      // As with a managed service, the name leads to another server, and connections to the old primary are cut.
      await address.cut();
      await move();
      await address.restore();

      await eventually(async () => {
        const fresh = { id: freshId('key'), organizationId: freshId('org') };
        const states = [await one.requests.record(fresh, WINDOW), await other.requests.record(fresh, WINDOW)];
        expect(states.map(({ count }) => count)).to.deep.equal([1, 2]);
      });
      // Each process has two connections.
      expect(lookUp.withArgs(NAME).callCount).to.be.at.least(before + 4);
      expect(await clients[1].keys('*:requests:*')).not.to.deep.equal([]);
    } finally {
      lookUp.restore();
    }
  });

  it('the new server is found at the address even if the old one stops answering', async () => {
    const [one, other] = processes;
    await one?.requests.record({ id: 'key', organizationId: freshId('org') }, WINDOW);
    address.moveTo(servers[1].port);
    await servers[0].pause();
    try {
      await eventually(async () => {
        const fresh = { id: freshId('key'), organizationId: freshId('org') };
        const states = [
          await one?.requests.record(fresh, WINDOW),
          await other?.requests.record(fresh, WINDOW),
        ];
        expect(states.map((state) => state?.count)).to.deep.equal([1, 2]);
      });
      expect(await clients[1].keys('*:requests:*')).not.to.deep.equal([]);
    } finally {
      await servers[0].resume();
    }
  });

  it('connections are reopened no more often than a probe is refused', async () => {
    const before = address.connections;
    const [one] = processes;
    address.forget();
    await clients[0].replicaof(...NOWHERE);
    await one?.requests.record({ id: 'key', organizationId: freshId('org') }, WINDOW);

    const refusals = () => address.passed.filter(({ bytes }) => bytes.includes('-READONLY')).length;
    await eventually(() => expect(address.connections - before).to.be.at.least(3));
    expect(address.connections - before).to.be.at.most(refusals());
    expect(one?.breaker.isOpen).to.equal(true);
  });
});
