import { expect } from 'chai';
import { redisForTests } from '../../support/redis/test-redis.js';
import type { FaultPlan } from '../chaos/fault-plan.js';
import { RedisChaos, type RedisKind } from '../chaos/redis/redis-chaos.js';

/** Each fault ends when all servers are available again. A fault does not begin once the round is over. */
const ROUND_MS = 20_000;
/** Ends what would hang, on any machine. */
const TIMEOUT_MS = 60_000;
const PLANS: Readonly<Record<RedisKind, FaultPlan>> = {
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
      {
        afterMs: 500,
        fault: 'master killed, a replica promoted that lacks the last writes',
        lastsMs: 1_000,
      },
    ],
  },
};

/** A short run of what `npm run chaos -- --redis cluster|sentinel` does for any length of time. */
for (const [kind, plan] of Object.entries(PLANS)) {
  describe(`While a Redis ${kind} fails over, under load,`, function () {
    this.timeout(600_000);
    let running: RedisChaos | null = null;

    before(async function () {
      running = await RedisChaos.begin(await redisForTests(this), kind as RedisKind, TIMEOUT_MS);
    });

    after(async () => {
      await running?.chaos.end();
    });

    it('no request fails, no limit is exceeded, no answer is stale, and the processes share their state again without help', async () => {
      if (running === null) throw new Error('The installation was not started');
      expect(await running.chaos.round(plan, ROUND_MS)).to.deep.equal([]);
      const { faults, edits, windows } = running.figures();
      expect(faults).to.be.greaterThan(1);
      expect(edits).to.be.greaterThan(0);
      expect(windows).to.be.greaterThan(0);
    });
  });
}
