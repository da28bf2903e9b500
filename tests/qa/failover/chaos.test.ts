import { expect } from 'chai';
import { redisForTests } from '../../support/redis/test-redis.js';
import { Chaos } from '../../tools/chaos/chaos.js';
import { type FaultPlan, faultPlans } from '../../tools/chaos/fault-plan.js';
import type { RedisKind } from '../../tools/chaos/redis-servers.js';

const SEED = 6084;
/** On a slow computer less happens in each round. */
const MAX_ROUNDS = 10;
/** Ends what would hang, on any machine. */
const PROMPT_MS = 60_000;
const ROUND_MS: Readonly<Record<RedisKind, number>> = { single: 8_000, cluster: 20_000, sentinel: 20_000 };

/** Only Redis fails over. Each fault ends when all of its servers are available again. */
const FAILOVERS: Readonly<Record<Exclude<RedisKind, 'single'>, FaultPlan>> = {
  cluster: {
    redis: [
      { afterMs: 1_000, fault: 'shard 0: slots moved to the next shard', lastsMs: 1_000 },
      {
        afterMs: 500,
        fault: 'shard 1: master killed, a replica promoted that lacks the last writes',
        lastsMs: 1_000,
      },
      { afterMs: 1_000, fault: 'shard 2: replica promoted by an operator', lastsMs: 500 },
      { afterMs: 500, fault: 'shard 0: master frozen', lastsMs: 3_000 },
    ],
  },
  sentinel: {
    redis: [
      { afterMs: 1_000, fault: 'first sentinel killed', lastsMs: 500 },
      { afterMs: 500, fault: 'master killed, a replica promoted that lacks the last writes', lastsMs: 1_000 },
    ],
  },
};

/** A short run of what `npm run chaos` does for any length of time and with other seeds. */
for (const [what, kind] of [
  ['parts are killed, frozen and cut off', 'single'],
  ['a Redis Cluster fails over', 'cluster'],
  ['a Redis behind Sentinel fails over', 'sentinel'],
] as const) {
  describe(`While ${what}, under load,`, () => {
    let chaos: Chaos | null = null;

    before(async function () {
      chaos = await Chaos.begin(await redisForTests(this), kind, PROMPT_MS);
    });

    after(async () => {
      await chaos?.end();
    });

    it('no answer breaks a promise, and soon afterwards every process shows the content of the dashboard', async () => {
      if (chaos === null) throw new Error('The installation was not started');
      const plans =
        kind === 'single'
          ? faultPlans(SEED, MAX_ROUNDS, chaos.parts)
          : Array.from({ length: MAX_ROUNDS }, () => FAILOVERS[kind]);
      for (const plan of plans) {
        expect(await chaos.round(plan, ROUND_MS[kind]), `seed ${SEED}`).to.deep.equal([]);
        const { faults, revocations, windows, edits } = chaos.figures();
        if (faults > 1 && revocations > 0 && windows > 0 && edits > 0) return;
      }
      throw new Error(`Not enough was tested: ${JSON.stringify(chaos.figures())}`);
    });
  });
}
