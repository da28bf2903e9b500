import 'reflect-metadata';
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { stopTestPostgres } from '../../support/postgres/test-postgres.js';
import { findRedisMachine, type RedisMachine } from '../../support/redis/redis-machine.js';
import { mariaDbPrograms } from '../support/servers/test-mariadb.js';
import { BreakingServers } from './breaking-servers.js';
import { Chaos, TENANTS_NEEDED } from './chaos.js';
import { type FaultPlan, faultPlans, onlyParts } from './fault-plan.js';
import { RedisChaos, type RedisKind } from './redis/redis-chaos.js';
import { WorldChaos } from './world/world-chaos.js';

const ROUND_MS = { usual: 20_000, failovers: 40_000 };
/** The blogs of the website that changes its owner. */
const BLOGS = 2_000;
/** Recovery follows each round, and a fault may wait until it is reported. A run that takes longer than this hangs. */
const maxMs = (minutes: number) => (3 * minutes + 5) * 60_000;

interface Run {
  readonly chaos: Chaos;
  readonly plans: (seed: number, rounds: number) => readonly FaultPlan[];
  readonly figures: () => object;
  readonly roundMs: number;
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    minutes: { type: 'string', default: '10' },
    // The servers fail over and change settings instead of only failing.
    world: { type: 'boolean', default: false },
    // The same with three shards instead of one Redis.
    cluster: { type: 'boolean', default: false },
    // Only Redis fails over: 'cluster' or 'sentinel'.
    redis: { type: 'string' },
    // The dashboard is on MariaDB.
    mariadb: { type: 'boolean', default: false },
    // The parts that may fail, separated by commas.
    only: { type: 'string' },
  },
});
const [seed, minutes] = [Number(values.seed), Number(values.minutes)];
const isWorld = values.world || values.cluster;
const say = (text: string) => process.stdout.write(`${text}\n`);

if (values.redis !== undefined && values.redis !== 'cluster' && values.redis !== 'sentinel')
  throw new Error('--redis takes cluster or sentinel');
const redis = values.redis === undefined ? '' : ` --redis ${values.redis}`;
const world = isWorld ? ` --${values.cluster ? 'cluster' : 'world'}` : '';
const only = values.only === undefined ? '' : ` --only '${values.only}'`;
const mariaDb = values.mariadb ? ' --mariadb' : '';
say(`npm run chaos --${world}${redis}${mariaDb}${only} --seed ${seed} --minutes ${minutes}`);
const machine = await findRedisMachine();
if (machine === null)
  throw new Error('There is no Redis for the chaos: install redis-server, or start Docker');
const { chaos, plans, figures, roundMs } = await begin(machine);

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
const hangs = setTimeout(() => {
  say(`Seed ${seed}: it does not end`);
  process.exitCode = 1;
  stopping.abort();
}, maxMs(minutes));
const stopped = new Promise<null>((resolve) =>
  stopping.signal.addEventListener('abort', () => resolve(null)),
);

try {
  const rounds = Math.max(1, Math.round((minutes * 60_000) / roundMs));
  for (const [n, whole] of plans(seed, rounds).entries()) {
    const plan = values.only === undefined ? whole : onlyParts(whole, values.only.split(','));
    const findings = await Promise.race([chaos.round(plan, roundMs), stopped]);
    if (findings === null) break;
    say(`Round ${n + 1} of ${rounds}: ${JSON.stringify(figures())}`);
    if (findings.length === 0) continue;
    say(`Seed ${seed}:\n${findings.join('\n')}`);
    process.exitCode = 1;
    break;
  }
} finally {
  clearTimeout(hangs);
  await chaos.end();
  await stopTestPostgres();
  await machine.stop();
}
// If a round was interrupted, a fault may still wait for something.
process.exit();

async function begin(machine: RedisMachine): Promise<Run> {
  if (values.redis !== undefined) {
    const run = await RedisChaos.begin(machine, values.redis as RedisKind);
    return {
      chaos: run.chaos,
      plans: run.plans.bind(run),
      figures: run.figures.bind(run),
      roundMs: ROUND_MS.failovers,
    };
  }
  if (isWorld) {
    const run = await WorldChaos.begin(machine, { cluster: values.cluster, blogs: BLOGS });
    return {
      chaos: run.chaos,
      plans: run.plans.bind(run),
      figures: run.figures.bind(run),
      roundMs: ROUND_MS.failovers,
    };
  }
  const mariaDb = values.mariadb ? mariaDbPrograms() : null;
  if (values.mariadb && mariaDb === null) throw new Error('There is no MariaDB: install mariadb-server');
  const chaos = await Chaos.begin(await BreakingServers.build(machine, TENANTS_NEEDED, mariaDb));
  const plans = (first: number, rounds: number) => faultPlans(first, rounds, chaos.parts);
  return { chaos, plans, figures: chaos.figures.bind(chaos), roundMs: ROUND_MS.usual };
}
