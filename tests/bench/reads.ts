import { atLeast, atMost, median, type Note } from './figures.js';
import type { LoadOrder } from './load-process.js';
import type { MeasuredServer } from './measured-server.js';
import { LIST, ReadStage } from './read-stage.js';

const ROUNDS = 5;
const SECONDS = 2;
/** Each key is looked up once, and the code is compiled. */
const WARM_UP_REQUESTS = 20_000;
const STARTS = 5;
const PROMISED_START_SECONDS = 1;
const PROMISED_MEGABYTES = 150;
const REQUESTS = 1_000_000;

type Contenders = Readonly<Record<string, MeasuredServer>>;

interface Taken {
  readonly perSecond: number;
  /** Processor time of the server for one request. */
  readonly microseconds: number;
}

export async function measureReads(note: Note): Promise<void> {
  const stage = await ReadStage.set();
  try {
    note(await start(stage));
    const [redis, memory] = [await stage.api(true), await stage.api(false)];
    await hits(stage, redis, memory, note);
    await misses(stage, redis, note);
    const fresh = await stage.api(true);
    await stage.load.send({
      address: fresh.address,
      keys: stage.keys,
      path: LIST,
      until: { amount: REQUESTS },
    });
    const megabytes = await fresh.residentMegabytes();
    note(atMost('memory of `api` after a million requests', megabytes, PROMISED_MEGABYTES, ' MB'));
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

async function hits(
  stage: ReadStage,
  redis: MeasuredServer,
  memory: MeasuredServer,
  note: Note,
): Promise<void> {
  const koa = await stage.constant('koa', redis);
  const node = await stage.constant('node', redis);
  const taken = await byTurns(stage, { redis, memory, koa, node }, { path: LIST });
  note(
    compare('warm HIT with Redis, of Koa + router', taken, 'redis', 'koa', 0.85),
    compare('warm HIT with Redis, of node:http', taken, 'redis', 'node', 0.4),
    compare('warm HIT with limit and cache in memory, of Koa + router', taken, 'memory', 'koa', 0.95),
  );
  await Promise.all([koa.stop(), node.stop()]);
}

async function misses(stage: ReadStage, redis: MeasuredServer, note: Note): Promise<void> {
  const query = await stage.query();
  const taken = await byTurns(stage, { redis, query }, { path: `${LIST}?search=`, unique: true });
  note(compare('MISS of unique searches, of Koa with the same SQL', taken, 'redis', 'query', 0.5));
  await query.stop();
}

/** One after the other, over and over: what disturbs one of them disturbs its neighbours too. */
async function byTurns(
  stage: ReadStage,
  contenders: Contenders,
  { path, unique = false }: { path: string; unique?: boolean },
): Promise<ReadonlyMap<string, readonly Taken[]>> {
  const taken = new Map<string, Taken[]>(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, server] of Object.entries(contenders)) {
      const one = await take(stage, server, {
        path,
        ...(unique && { unique: `${round}-` }),
        until: round === 0 ? { amount: WARM_UP_REQUESTS } : { duration: SECONDS },
      });
      if (round > 0) taken.get(name)?.push(one);
    }
  }
  return taken;
}

async function take(
  stage: ReadStage,
  server: MeasuredServer,
  order: Omit<LoadOrder, 'address' | 'keys'>,
): Promise<Taken> {
  const before = await server.processorTime();
  const { perSecond, requests } = await stage.load.send({
    address: server.address,
    keys: stage.keys,
    ...order,
  });
  return { perSecond, microseconds: (((await server.processorTime()) - before) * 1000) / requests };
}

/** Requests a second of one as a part of those of the other, in the same round; the processor time tells how much is its own work. */
function compare(
  what: string,
  taken: ReadonlyMap<string, readonly Taken[]>,
  product: string,
  baseline: string,
  promised: number,
) {
  const [own = [], others = []] = [taken.get(product), taken.get(baseline)];
  const ratios = own.map(({ perSecond }, round) => perSecond / (others[round]?.perSecond ?? Number.NaN));
  const figure = atLeast(what, median(ratios), promised);
  const work = [own, others].map((all) => median(all.map(({ microseconds }) => microseconds)).toFixed(0));
  const rates = [own, others].map((all) => median(all.map(({ perSecond }) => perSecond)).toFixed(0));
  return {
    ...figure,
    measured: `${figure.measured} (${rates.join(' : ')} a second, ${work.join(' : ')} µs)`,
  };
}
