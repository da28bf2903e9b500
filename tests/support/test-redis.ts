import { findRedisMachine, type RedisMachine } from './redis-machine.js';
import { RedisServer, type RedisServerOptions } from './redis-server.js';

const HOW_TO_GET_ONE = 'install redis-server, or start Docker';

let machine: Promise<RedisMachine | null> | null = null;
let testsLeftOut = 0;

/**
 * For the `before` hook of a `describe` that needs a real Redis: with none at hand, its tests are skipped; where CI=true they
 * fail, since nobody reads there what was left out.
 */
export async function redisForTests(context: Mocha.Context): Promise<RedisMachine> {
  machine ??= findRedisMachine();
  const found = await machine;
  if (found !== null) return found;
  if (process.env.CI === 'true') throw new Error(`There is no Redis for the tests: ${HOW_TO_GET_ONE}`);
  testsLeftOut += context.test?.parent?.total() ?? 0;
  return context.skip();
}

/** A Redis for the tests of the `describe` around the call, which share it. */
export function sharedRedis(options: RedisServerOptions = {}): () => RedisServer {
  let server: RedisServer | null = null;

  before(async function () {
    server = await RedisServer.start(await redisForTests(this), options);
  });

  after(async () => {
    await server?.stop();
  });

  return () => {
    if (server === null) throw new Error('The server is there during tests only');
    return server;
  };
}

/** Where this run had its Redis, or what it left out without; null when no test asked for one. */
export async function describeTestRedis(): Promise<string | null> {
  if (machine === null) return null;
  const found = await machine;
  return found === null ? `none, ${testsLeftOut} tests left out (${HOW_TO_GET_ONE})` : found.description;
}

export async function stopTestRedis(): Promise<void> {
  await (await machine)?.stop();
  machine = null;
}
