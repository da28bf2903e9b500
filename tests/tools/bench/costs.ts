import { Redis } from 'ioredis';
import pg from 'pg';
import { sendRequest } from '../../support/http/send-request.js';
import { type Figure, median, type Note } from './figures.js';
import { rebuild } from './long-work.js';
import { postgresTime } from './postgres-time.js';
import { processorTimeOf } from './processor-time.js';
import { BLOGS_OF_EACH, LIST, ORGANIZATIONS, ReadStage } from './read-stage.js';
import { BLOGS, SyncStage } from './sync-stage.js';
import { until } from './visibility.js';

const ROUNDS = 5;
const SECONDS = 2;
const WARM_UP_REQUESTS = 10_000;
const EDITS = 2_000;
const REQUESTS_OF_A_WINDOW = 100;

/** What a request, an edit and a blog take of each server: docs/scaling.md calculates with it. */
export async function measureCosts(note: Note): Promise<void> {
  const reads = await ReadStage.set();
  try {
    await requests(reads, note);
  } finally {
    await reads.strike();
  }
  const sync = await SyncStage.set(0);
  try {
    await edits(sync, note);
  } finally {
    await sync.strike();
  }
}

async function requests(stage: ReadStage, note: Note): Promise<void> {
  const client = new pg.Client(stage.dashboard.readDatabaseUrl);
  await client.connect();
  const api = await stage.api(true);
  const times = async () => [await api.processorTime(), await stage.redisTime(), await postgresTime(client)];
  for (const [what, path, isUnique] of [
    ['a HIT, of a list of 20', LIST, false],
    ['a MISS, of a search', `${LIST}?search=`, true],
  ] as const) {
    const order = { path, address: api.address, keys: stage.keys };
    const unique = (round: number) => isUnique && { unique: `${round}-` };
    await stage.load.warmUp({ ...order, ...unique(0), until: { amount: WARM_UP_REQUESTS } });
    const rounds: (readonly number[])[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const before = await times();
      const { requests } = await stage.load.send({
        ...order,
        ...unique(round),
        until: { duration: SECONDS },
      });
      const after = await times();
      rounds.push(after.map((time, n) => ((time - (before[n] ?? 0)) * 1000) / requests));
    }
    const [ofApi, ofRedis, ofPostgres] = [0, 1, 2].map((n) =>
      median(rounds.map((round) => round[n] ?? Number.NaN)).toFixed(0),
    );
    note(cost(what, `${ofApi} µs API, ${ofRedis} µs Redis, ${ofPostgres} µs PostgreSQL`));
  }
  await client.end();
  note(...(await memoryOfRedis(stage)));
  await api.stop();
}

async function memoryOfRedis(stage: ReadStage): Promise<readonly Figure[]> {
  const redis = new Redis(stage.redis.url);
  const usedBytes = async () => Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
  const api = await stage.api(true);
  const keys = stage.keys.slice(0, ORGANIZATIONS);
  await redis.flushall();
  const empty = await usedBytes();
  for (const [n, key] of keys.entries())
    for (let blog = 1; blog <= BLOGS_OF_EACH; blog++)
      await sendRequest(api.address, encodeURI(`${LIST}/web of org_${n} ${blog}`), { 'X-API-Key': key });
  const withBlogs = await usedBytes();
  for (const key of keys) await sendRequest(api.address, LIST, { 'X-API-Key': key });
  const withLists = await usedBytes();
  const amount = stage.keys.length * REQUESTS_OF_A_WINDOW;
  await stage.load.send({ address: api.address, keys: stage.keys, path: LIST, until: { amount } });
  const withWindows = await usedBytes();
  await api.stop();
  redis.disconnect();
  return [
    cost('a cached blog with 6 KB, in Redis', kilobytes((withBlogs - empty) / (keys.length * BLOGS_OF_EACH))),
    cost(
      `a key with ${REQUESTS_OF_A_WINDOW} requests a minute, in Redis`,
      kilobytes((withWindows - withLists) / stage.keys.length),
    ),
  ];
}

async function edits(stage: SyncStage, note: Note): Promise<void> {
  await rebuild(stage, 'fills empty read tables');
  const { rows } = await stage.read.query(
    `select sum(pg_total_relation_size(oid))::float as bytes from pg_class
     where relkind = 'r' and relnamespace = 'content_read'::regnamespace`,
  );
  note(cost('a blog with 2 KB, in the read tables', kilobytes(rows[0].bytes / BLOGS)));

  const worker = stage.run('sync');
  await worker.printed(/this worker leads/);
  const state = async () => ({
    worker: await processorTimeOf(worker.pid),
    postgres: await postgresTime(stage.write),
    wal: Number(
      (await stage.write.query(`select pg_current_wal_insert_lsn() - '0/0' as bytes`)).rows[0].bytes,
    ),
  });
  const before = await state();
  for (let n = 1; n <= EDITS; n++) {
    const id = `large_${n * 20}`;
    await stage.write.query('update blogs set title = $1 where id = $2', [`Edit ${n}`, id]);
  }
  const last = `large_${EDITS * 20}`;
  await until(async () => {
    const shown = await stage.read.query('select title from content_read.blogs where id = $1', [last]);
    return shown.rows[0].title === `Edit ${EDITS}`;
  });
  const after = await state();
  const each = (name: 'worker' | 'postgres' | 'wal') => (after[name] - before[name]) / EDITS;
  const time = (name: 'worker' | 'postgres') => `${(each(name) * 1000).toFixed(0)} µs`;
  note(
    cost(
      'an edit',
      `${time('worker')} worker, ${time('postgres')} PostgreSQL, ${kilobytes(each('wal'))} WAL`,
    ),
  );
}

function cost(what: string, measured: string): Figure {
  return { what: `cost of ${what}`, measured, promise: '', kept: 1 };
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} KB`;
}
