import { fetchNewestLts } from '../runs/fetch-node.js';
import { byTurns, compare } from './by-turns.js';
import { atMost, median, type Note } from './figures.js';
import type { StartOptions } from './measured-server.js';
import { DETAIL, LIST, ReadStage } from './read-stage.js';

const STARTS = 5;
const PROMISED_START_SECONDS = 1;
const PROMISED_MEGABYTES = 200;
const REQUESTS = 1_000_000;

/** The promised throughput, relative to Koa with its router and to Node's own server. */
const PROMISED = { redis: { koa: 0.85, node: 0.5 }, memory: { koa: 1, node: 0.58 }, miss: 0.75 };

export async function measureReads(note: Note): Promise<void> {
  const stage = await ReadStage.set();
  try {
    note(await start(stage));
    await answers(stage, process.version, {}, note);
    const lts = await fetchNewestLts();
    if (lts === null) process.stdout.write('Left out: the newest Node with long-term support\n');
    else {
      try {
        await answers(stage, lts.version, { node: lts.program }, note);
      } finally {
        await lts.remove();
      }
    }
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

async function answers(stage: ReadStage, version: string, options: StartOptions, note: Note): Promise<void> {
  const [redis, memory] = [await stage.api(true, options), await stage.api(false, options)];
  const hits = [
    { what: 'warm HIT of a list of 20', path: LIST, keys: stage.keys },
    { what: 'warm HIT of one blog with 6 KB', path: DETAIL, keys: stage.keysOfOne },
  ];
  for (const { what, path, keys } of hits) {
    const koa = await stage.constant('koa', redis, path, options);
    const node = await stage.constant('node', redis, path, options);
    // Both requests have the same length: a longer one takes the callers more time.
    const unchanged = { server: redis, headers: { 'If-None-Match': '*' }, status: 304 } as const;
    const changed = { server: redis, headers: { 'If-None-Match': '"' } };
    const taken = await byTurns(stage, {
      redis: { server: redis, path, keys },
      unchanged: { ...unchanged, path, keys },
      changed: { ...changed, path, keys },
      memory: { server: memory, path, keys },
      koa: { server: koa, path, keys },
      node: { server: node, path, keys },
    });
    const named = `${what}, Node ${version}`;
    note(
      compare(`${named}: with Redis, of Koa + router`, taken, 'redis', 'koa', PROMISED.redis.koa),
      compare(`${named}: with Redis, of node:http`, taken, 'redis', 'node', PROMISED.redis.node),
      compare(`${named}: in memory, of Koa + router`, taken, 'memory', 'koa', PROMISED.memory.koa),
      compare(`${named}: in memory, of node:http`, taken, 'memory', 'node', PROMISED.memory.node),
      compare(
        `${named}: 304, compared with a 200 to a conditional request`,
        taken,
        'unchanged',
        'changed',
        1,
      ),
    );
    await Promise.all([koa.stop(), node.stop()]);
  }
  await misses(stage, version, options, note);
  await Promise.all([redis.stop(), memory.stop()]);
}

async function misses(stage: ReadStage, version: string, options: StartOptions, note: Note): Promise<void> {
  const [redis, query] = [await stage.api(true, options), await stage.query(options)];
  const search = { path: `${LIST}?search=`, isUnique: true };
  const taken = await byTurns(stage, {
    redis: { server: redis, ...search },
    query: { server: query, ...search },
  });
  const what = `MISS of unique searches, Node ${version}: of Koa with the same SQL`;
  note(compare(what, taken, 'redis', 'query', PROMISED.miss));
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
