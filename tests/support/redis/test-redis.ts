import { ofTheRun } from '../of-the-run.js';
import { noteUse, skipUnlessCi } from '../run-notes.js';
import { findRedisMachine, type RedisMachine } from './redis-machine.js';
import { RedisServer, type RedisServerOptions } from './redis-server.js';

const run = ofTheRun<{ machine: Promise<RedisMachine | null> | null }>('redis', { machine: null });

/** For the `before` hook of a `describe` that needs a real Redis. Without one, its tests are skipped. */
export async function redisForTests(context: Mocha.Context): Promise<RedisMachine> {
  run.machine ??= findRedisMachine();
  const found = await run.machine;
  if (found === null) return skipUnlessCi(context, 'Redis (install redis-server, or start Docker)');
  noteUse('Redis', found.description);
  return found;
}

/** A Redis that the tests of the surrounding `describe` share. */
export function sharedRedis(options: RedisServerOptions = {}): () => RedisServer {
  return sharedServers((machine) => RedisServer.start(machine, options));
}

/** Servers that the tests of the surrounding `describe` share. */
export function sharedServers<Servers extends { stop(): Promise<void> }>(
  start: (machine: RedisMachine) => Promise<Servers>,
): () => Servers {
  let servers: Servers | null = null;

  before(async function () {
    servers = await start(await redisForTests(this));
  });

  after(async () => {
    await servers?.stop();
  });

  return () => {
    if (servers === null) throw new Error('The servers exist only during tests');
    return servers;
  };
}

export async function stopTestRedis(): Promise<void> {
  await (await run.machine)?.stop();
  run.machine = null;
}
