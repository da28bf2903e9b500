import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect } from 'chai';
import type { Container } from 'inversify';
import { PrometheusMetrics } from '../../src/adapters/operations/prometheus-metrics.js';
import { apiContainer } from '../../src/composition/api-container.js';
import type { ApiConfiguration } from '../../src/composition/settings/configuration.js';
import { TOKENS } from '../../src/composition/tokens.js';

type TokenName = keyof typeof TOKENS;
type Parts = Pick<ApiConfiguration, 'redisUrls'> & Partial<Pick<ApiConfiguration, 'staleIfErrorMs'>>;

const READ_DATABASE_URL = 'postgres://user:password@127.0.0.1:1/nowhere';
const redisUrls = ['redis://127.0.0.1:1'];

const OF_REDIS: readonly TokenName[] = ['redisBreaker', 'redisAnswersBreaker'];

/** Every combination of adapters, with the tokens that only other combinations have. */
const COMBINATIONS: readonly (Parts & { title: string; elsewhere: readonly TokenName[] })[] = [
  { title: 'PostgreSQL', redisUrls: null, elsewhere: OF_REDIS },
  { title: 'PostgreSQL and Redis', redisUrls, elsewhere: [] },
  { title: 'PostgreSQL and Redis, with stale answers', redisUrls, staleIfErrorMs: 1000, elsewhere: [] },
];

/** There must be one instance of each: it holds connections, memory or running work. */
const SHARED: readonly TokenName[] = [
  'log',
  'metrics',
  'readDatabase',
  'replicas',
  'redisBreaker',
  'redisAnswersBreaker',
  'requestLog',
  'responseCache',
  'raiseListener',
  'requestPath',
];

function containerOf(
  { redisUrls, staleIfErrorMs = 0 }: Parts,
  readDatabaseUrl = READ_DATABASE_URL,
): Container {
  return apiContainer(
    {
      port: 0,
      host: '127.0.0.1',
      readDatabaseUrl,
      readReplicaUrls: [],
      window: { limit: 7, lengthMs: 1000 },
      cacheLifetimesMs: { list: 1000, detail: 1000 },
      staleIfErrorMs,
      redisUrls,
      redisCacheUrls: null,
      logLevel: 'silent',
      logPretty: false,
    },
    new PrometheusMetrics(),
  ).container;
}

describe('The container of the API', () => {
  for (const { title, elsewhere, ...parts } of COMBINATIONS) {
    describe(`on ${title}`, () => {
      let container: ReturnType<typeof containerOf>;

      beforeEach(() => {
        container = containerOf(parts);
      });
      afterEach(() => container.unbindAllAsync());

      it('creates each adapter, and one of each that holds connections, memory or running work', () => {
        for (const [name, token] of Object.entries(TOKENS) as [TokenName, (typeof TOKENS)[TokenName]][]) {
          const isElsewhere = elsewhere.includes(name);
          expect(container.isBound(token), name).to.equal(!isElsewhere);
          if (isElsewhere) continue;
          const made = container.get<unknown>(token);
          expect(made, name).not.to.equal(undefined);
          if (SHARED.includes(name)) expect(container.get<unknown>(token), name).to.equal(made);
        }
      });
    });
  }

  it('shares nothing with another container', async () => {
    const [one, other] = [containerOf(COMBINATIONS[0] as Parts), containerOf(COMBINATIONS[0] as Parts)];
    for (const name of ['blogReader', 'requestPath'] as const) {
      expect(one.get<unknown>(TOKENS[name]), name).not.to.equal(other.get<unknown>(TOKENS[name]));
    }
    await Promise.all([one.unbindAllAsync(), other.unbindAllAsync()]);
  });

  it('connects to no database while it creates everything', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    let connections = 0;
    server.on('connection', () => connections++);

    const url = `postgres://user@127.0.0.1:${port}/content`;
    const container = containerOf({ redisUrls: null }, url);
    for (const token of Object.values(TOKENS)) if (container.isBound(token)) container.get<unknown>(token);
    // Each of these sockets passes through the event loop, and any pending connection passes with it.
    for (let own = 0; own < 10; own++) {
      const socket = connect(port, '127.0.0.1').resume();
      await once(socket, 'close');
    }

    expect(connections).to.equal(10);
    await container.unbindAllAsync();
    server.close();
  });
});
