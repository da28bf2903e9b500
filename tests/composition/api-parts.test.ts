import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect } from 'chai';
import { PrometheusMetrics } from '../../src/adapters/operations/prometheus-metrics.js';
import { type ApiParts, apiParts } from '../../src/composition/api-parts.js';
import { extendedApi } from '../../src/composition/extensions/extend.js';
import type { Extension } from '../../src/composition/extensions/extension.js';
import type { ApiConfiguration } from '../../src/composition/settings/configuration.js';

const READ_DATABASE_URL = 'postgres://user:password@127.0.0.1:1/nowhere';
const redisUrls = ['redis://127.0.0.1:1'];

function partsOf(configuration: Partial<ApiConfiguration> = {}, extension: Extension = {}): ApiParts {
  return apiParts(
    {
      port: 0,
      host: '127.0.0.1',
      readDatabaseUrl: READ_DATABASE_URL,
      window: { limit: 7, lengthMs: 1000 },
      cacheLifetimesMs: { list: 1000, detail: 1000 },
      staleIfErrorMs: 0,
      maxSyncAgeMs: null,
      redisUrls: null,
      redisCacheUrls: null,
      logLevel: 'silent',
      logPretty: false,
      ...configuration,
    },
    new PrometheusMetrics(),
    extendedApi([{ name: 'a test', ...extension }], {}),
  );
}

describe('The parts of the API', () => {
  it('have connections to what is set, and to nothing else', async () => {
    for (const set of [{}, { redisUrls }, { redisUrls, staleIfErrorMs: 1000 }]) {
      const { readTables, redis, close } = partsOf(set);
      expect(readTables).not.to.equal(null);
      const names = redis.map(({ name }) => name);
      expect(names).to.deep.equal('redisUrls' in set ? ['redis', 'redisCache'] : []);
      await close();
    }
  });

  it('share one of each that holds connections, memory or running work', async () => {
    const received: unknown[] = [];
    const { ports, close } = partsOf(
      { redisUrls },
      {
        api: (bind) => {
          bind('keyHasher', (get) => {
            received.push(get('requestLog'), get('responseCache'), get('metrics'), get('log'));
            return { hash: (key) => key };
          });
        },
      },
    );
    const { requestLog, responseCache, metrics, log } = ports;
    for (const [index, port] of [requestLog, responseCache, metrics, log].entries())
      expect(port).to.equal(received[index]);
    await close();
  });

  it('share nothing with those of another API', async () => {
    const [one, other] = [partsOf(), partsOf()];
    for (const name of ['server', 'generations', 'readTables'] as const)
      expect(one[name], name).not.to.equal(other[name]);
    await Promise.all([one.close(), other.close()]);
  });

  it('connect to no database while they are created', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    let connections = 0;
    server.on('connection', () => connections++);

    const { close } = partsOf({ readDatabaseUrl: `postgres://user@127.0.0.1:${port}/content` });
    // Each of these sockets passes through the event loop, and any pending connection passes with it.
    for (let own = 0; own < 10; own++) {
      const socket = connect(port, '127.0.0.1').resume();
      await once(socket, 'close');
    }

    expect(connections).to.equal(10);
    await close();
    server.close();
  });
});
