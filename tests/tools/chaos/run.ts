import 'reflect-metadata';
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { stopTestPostgres } from '../../support/postgres/test-postgres.js';
import { findRedisMachine } from '../../support/redis/redis-machine.js';
import { Chaos } from './chaos.js';
import { faultPlans } from './fault-plan.js';
import { REDIS_KINDS, type RedisKind } from './redis-servers.js';

const ROUND_MS = 20_000;
/** The promise is two seconds; the rest is for a busy computer. */
const PROMPT_MS = 6_000;
/** Recovery follows each round. A run that takes longer than this hangs. */
const maxMs = (minutes: number) => (3 * minutes + 5) * 60_000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    minutes: { type: 'string', default: '10' },
    redis: { type: 'string', default: 'single' },
    // The parts that may fail, separated by commas.
    only: { type: 'string' },
  },
});
const [seed, minutes, kind] = [Number(values.seed), Number(values.minutes), values.redis];
if (!Object.hasOwn(REDIS_KINDS, kind))
  throw new Error(`--redis takes ${Object.keys(REDIS_KINDS).join(', ')}`);
const say = (text: string) => process.stdout.write(`${text}\n`);
const only = values.only === undefined ? '' : ` --only '${values.only}'`;
say(`npm run chaos -- --redis ${kind}${only} --seed ${seed} --minutes ${minutes}`);
const machine = await findRedisMachine();
if (machine === null)
  throw new Error('There is no Redis for the chaos: install redis-server, or start Docker');
const chaos = await Chaos.begin(machine, kind as RedisKind, PROMPT_MS);

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
  const rounds = Math.max(1, Math.round((minutes * 60_000) / ROUND_MS));
  for (const [n, plan] of faultPlans(seed, rounds, chaos.parts).entries()) {
    const parts = Object.entries(plan).filter(([part]) => values.only?.split(',').includes(part) ?? true);
    const findings = await Promise.race([chaos.round(Object.fromEntries(parts), ROUND_MS), stopped]);
    if (findings === null) break;
    say(`Round ${n + 1} of ${rounds}: ${JSON.stringify(chaos.figures())}`);
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
