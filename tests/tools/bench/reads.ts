import { byTurns, compare } from './by-turns.js';
import { atMost, median, type Note } from './figures.js';
import { DETAIL, LIST, ReadStage } from './read-stage.js';

const STARTS = 5;
const PROMISED_START_SECONDS = 1.5;
const PROMISED_MEGABYTES = 200;
const REQUESTS = 1_000_000;
/** The processor time of Koa with its router, relative to that of the API. */
const PROMISED = { list: { redis: 0.6, memory: 0.85 }, blog: { redis: 0.55, memory: 0.95 }, miss: 0.4 };

export async function measureReads(note: Note): Promise<void> {
  const stage = await ReadStage.set();
  try {
    note(await start(stage));
    await hits(stage, note);
    await misses(stage, note);
    await memory(stage, note);
  } finally {
    await stage.strike();
  }
}

async function start(stage: ReadStage) {
  const seconds: number[] = [];
  for (let n = 0; n < STARTS; n++) {
    const api = await stage.api(true);
    seconds.push(api.startedWithinMs / 1000);
    await api.stop();
  }
  return atMost('`api` answers after its start', median(seconds), PROMISED_START_SECONDS, ' s');
}

async function hits(stage: ReadStage, note: Note): Promise<void> {
  const [redis, memory] = [await stage.api(true), await stage.api(false)];
  for (const { what, path, keys, promised } of [
    { what: 'warm HIT of a list of 20', path: LIST, keys: stage.keys, promised: PROMISED.list },
    { what: 'warm HIT of one blog with 6 KB', path: DETAIL, keys: stage.keysOfOne, promised: PROMISED.blog },
  ]) {
    const [koa, node] = [await stage.constant(redis, path), await stage.constant(redis, path, false)];
    const taken = await byTurns(stage, {
      redis: { server: redis, path, keys },
      memory: { server: memory, path, keys },
      koa: { server: koa, path, keys },
      node: { server: node, path, keys },
    });
    note(
      compare(`${what}: with Redis, of Koa + router`, taken, 'redis', 'koa', promised.redis),
      compare(`${what}: in memory, of Koa + router`, taken, 'memory', 'koa', promised.memory),
    );
    await Promise.all([koa.stop(), node.stop()]);
  }
  await Promise.all([redis.stop(), memory.stop()]);
}

async function misses(stage: ReadStage, note: Note): Promise<void> {
  const [redis, query] = [await stage.api(true), await stage.query()];
  const search = { path: `${LIST}?search=`, isUnique: true };
  const taken = await byTurns(stage, {
    redis: { server: redis, ...search },
    query: { server: query, ...search },
  });
  note(compare('MISS of unique searches: of Koa with the same SQL', taken, 'redis', 'query', PROMISED.miss));
  await Promise.all([redis.stop(), query.stop()]);
}

async function memory(stage: ReadStage, note: Note): Promise<void> {
  const api = await stage.api(true);
  await stage.load.send({
    address: api.address,
    keys: stage.keys,
    path: LIST,
    until: { amount: REQUESTS },
  });
  const megabytes = await api.residentMegabytes();
  note(atMost('memory of `api` after a million requests', megabytes, PROMISED_MEGABYTES, ' MB'));
}
