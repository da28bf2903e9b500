import 'reflect-metadata';
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { findRedisMachine } from '../support/redis-machine.js';
import { stopTestPostgres } from '../support/test-postgres.js';
import { Chaos } from './chaos.js';
import { faultPlans } from './fault-plan.js';

const ROUND_MS = 20_000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    minutes: { type: 'string', default: '10' },
  },
});
const [seed, minutes] = [Number(values.seed), Number(values.minutes)];
const say = (text: string) => process.stdout.write(`${text}\n`);

say(`npm run chaos -- --seed ${seed} --minutes ${minutes}`);
const machine = await findRedisMachine();
if (machine === null)
  throw new Error('There is no Redis for the chaos: install redis-server, or start Docker');
const chaos = await Chaos.begin(machine);
try {
  const rounds = Math.max(1, Math.round((minutes * 60_000) / ROUND_MS));
  for (const [n, plan] of faultPlans(seed, rounds, chaos.installation.parts).entries()) {
    const findings = await chaos.round(plan, ROUND_MS);
    say(`Round ${n + 1} of ${rounds}: ${JSON.stringify(chaos.figures())}`);
    if (findings.length === 0) continue;
    say(findings.join('\n'));
    process.exitCode = 1;
    break;
  }
} finally {
  await chaos.end();
  await stopTestPostgres();
  await machine.stop();
}
