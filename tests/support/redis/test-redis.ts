import { noteUse, skipUnlessCi } from '../run-notes.js';
import { RedisServer, type RedisServerOptions, redisVersion } from './redis-server.js';

/** For the `before` hook of a `describe` that needs a real Redis. Without one, its tests are skipped. */
export async function redisForTests(context: Mocha.Context): Promise<void> {
  const version = await redisVersion();
  if (version === null) return skipUnlessCi(context, 'Redis (install redis-server)');
  noteUse('Redis', version);
}

/** A Redis that the tests of the surrounding `describe` share. */
export function sharedRedis(options: RedisServerOptions = {}): () => RedisServer {
  return sharedServers(() => RedisServer.start(options));
}

/** Servers that the tests of the surrounding `describe` share. */
export function sharedServers<Servers extends { stop(): Promise<void> }>(
  start: () => Promise<Servers>,
): () => Servers {
  let servers: Servers | null = null;

  before(async function () {
    await redisForTests(this);
    servers = await start();
  });

  after(async () => {
    await servers?.stop();
  });

  return () => {
    if (servers === null) throw new Error('The servers exist only during tests');
    return servers;
  };
}
