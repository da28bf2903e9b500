import 'reflect-metadata';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopTestPostgres } from '../../support/postgres/test-postgres.js';
import { putIntoDocument } from './document.js';
import type { MeasuredServer } from './measured-server.js';
import { LIST, ReadStage } from './read-stage.js';
import { type CpuProfile, timeByGroup } from './self-time.js';

const WARM_UP_REQUESTS = 50_000;
const SECONDS = 5;

/** What the processor time of a HIT is spent on, compared with the baseline: a table in docs/performance.md. */
const stage = await ReadStage.set();
const folder = await mkdtemp(join(tmpdir(), 'blog-read-api-profile-'));
try {
  const flags = (name: string) => ['--cpu-prof', `--cpu-prof-dir=${join(folder, name)}`];
  const product = await stage.api(true);
  const [redis, memory, koa] = [
    await profile('redis', await stage.api(true, {}, flags('redis'))),
    await profile('memory', await stage.api(false, {}, flags('memory'))),
    await profile('koa', await stage.constant('koa', product, LIST, {}, flags('koa'))),
  ];
  const rows = [...redis.keys()].map((group) => [group, redis, memory, koa] as const);
  const table = [
    '| µs of processor time for one request | HIT with Redis | HIT in memory | Koa + router, a constant |',
    '| --- | --- | --- | --- |',
    ...rows.map(
      ([group, ...columns]) =>
        `| ${group} | ${columns.map((column) => column.get(group)?.toFixed(1)).join(' | ')} |`,
    ),
  ].join('\n');
  await putIntoDocument('profile', table);
  process.stdout.write(`${table}\n`);
} finally {
  await stage.strike();
  await stopTestPostgres();
  await rm(folder, { recursive: true });
}

async function profile(name: string, server: MeasuredServer): Promise<ReadonlyMap<string, number>> {
  const order = { address: server.address, keys: stage.keys, path: LIST };
  await stage.load.warmUp({ ...order, until: { amount: WARM_UP_REQUESTS } });
  const before = await server.processorTime();
  const { requests } = await stage.load.send({ ...order, until: { duration: SECONDS } });
  const each = (((await server.processorTime()) - before) * 1000) / requests;
  await server.stop();

  const times = timeByGroup(await profileIn(join(folder, name)), SECONDS);
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  return new Map([...times].map(([group, time]) => [group, (time / total) * each]));
}

/** The largest profile: the compiler of TypeScript may have written another one for a baseline. */
async function profileIn(directory: string): Promise<CpuProfile> {
  const files = await Promise.all(
    (await readdir(directory)).map((file) => readFile(join(directory, file), 'utf8')),
  );
  const [largest = '{}'] = files.toSorted((a, b) => b.length - a.length);
  return JSON.parse(largest);
}
