import { atLeast, type Figure, median } from './figures.js';
import type { LoadOrder } from './load-process.js';
import type { MeasuredServer } from './measured-server.js';
import type { ReadStage } from './read-stage.js';

const ROUNDS = 5;
const SECONDS = 2;
/** Enough to look up each key once and to compile the code. */
const WARM_UP_REQUESTS = 10_000;

/** A server and the requests that are sent to it. */
interface Contender extends Pick<LoadOrder, 'path' | 'header'> {
  readonly server: Pick<MeasuredServer, 'address' | 'processorTime'>;
  readonly keys?: readonly string[];
  readonly isUnique?: boolean;
}

interface Taken {
  readonly perSecond: number;
  /** Processor time of the server and of Redis for one request. */
  readonly microseconds: number;
  readonly redisMicroseconds: number;
}

type Rounds = ReadonlyMap<string, readonly Taken[]>;

/** Measures the contenders in turn, many times: a disturbance of one of them affects its neighbours, too. */
export async function byTurns(
  stage: ReadStage,
  contenders: Readonly<Record<string, Contender>>,
): Promise<Rounds> {
  const taken = new Map<string, Taken[]>(Object.keys(contenders).map((name) => [name, []]));
  for (const contender of Object.values(contenders)) {
    await stage.load.warmUp({ ...orderOf(stage, contender, 0), until: { amount: WARM_UP_REQUESTS } });
  }
  for (let round = 1; round <= ROUNDS; round++) {
    for (const [name, contender] of Object.entries(contenders)) {
      taken.get(name)?.push(await take(stage, contender, round));
    }
  }
  return taken;
}

function orderOf(stage: ReadStage, contender: Contender, round: number) {
  const { server, path, header, keys = stage.keys, isUnique = false } = contender;
  const { address } = server;
  return { address, path, keys, ...(header && { header }), ...(isUnique && { unique: `${round}-` }) };
}

async function take(stage: ReadStage, contender: Contender, round: number): Promise<Taken> {
  const times = () => Promise.all([contender.server.processorTime(), stage.redisTime()]);
  const before = await times();
  const order = orderOf(stage, contender, round);
  const { perSecond, requests } = await stage.load.send({ ...order, until: { duration: SECONDS } });
  const after = await times();
  const [microseconds = 0, redisMicroseconds = 0] = after.map(
    (time, n) => ((time - (before[n] ?? 0)) * 1000) / requests,
  );
  return { perSecond, microseconds, redisMicroseconds };
}

/**
 * The processor time of a baseline for one request relative to that of the product in the same round: other load on the
 * machine changes it far less than the requests a second.
 */
export function compare(
  what: string,
  taken: Rounds,
  product: string,
  baseline: string,
  promised: number,
): Figure {
  const [own = [], others = [], limit = []] = [taken.get(product), taken.get(baseline), taken.get('node')];
  const ratios = own.map(({ microseconds }, n) => (others[n]?.microseconds ?? Number.NaN) / microseconds);
  const figure = atLeast(what, median(ratios), promised);
  const middle = (all: readonly Taken[], of: (one: Taken) => number) => median(all.map(of)).toFixed(0);
  const work = [own, others].map((all) => middle(all, ({ microseconds }) => microseconds));
  const ofNode = limit.length === 0 ? [] : [`node:http ${middle(limit, (one) => one.microseconds)} µs`];
  const redis = `Redis ${middle(own, ({ redisMicroseconds }) => redisMicroseconds)} µs`;
  const rates = [own, others].map((all) => middle(all, ({ perSecond }) => perSecond));
  const details = [`${work.join(' : ')} µs`, ...ofNode, redis, `${rates.join(' : ')} a second`].join(', ');
  return { ...figure, measured: `${figure.measured} (${details})` };
}
