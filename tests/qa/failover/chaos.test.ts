import { expect } from 'chai';
import { redisForTests } from '../../support/redis/test-redis.js';
import { BreakingServers } from '../chaos/breaking-servers.js';
import { Chaos, TENANTS_NEEDED } from '../chaos/chaos.js';
import { faultPlans } from '../chaos/fault-plan.js';

const SEED = 6084;
const ROUND_MS = 3_500;
/** On a slow computer less happens in each round. */
const MAX_ROUNDS = 10;

/** A short run of what `npm run chaos` does for any length of time and with other seeds. */
describe('While parts are killed, frozen and cut off, under load,', function () {
  this.timeout(600_000);
  let chaos: Chaos | null = null;

  before(async function () {
    chaos = await Chaos.begin(await BreakingServers.build(await redisForTests(this), TENANTS_NEEDED, null));
  });

  after(async () => {
    await chaos?.end();
  });

  it('no answer breaks a promise, and soon afterwards every process shows the content of the dashboard', async () => {
    if (chaos === null) throw new Error('The installation was not started');
    for (const plan of faultPlans(SEED, MAX_ROUNDS, chaos.parts)) {
      expect(await chaos.round(plan, ROUND_MS), `seed ${SEED}`).to.deep.equal([]);
      const { faults, revocations, windows } = chaos.figures();
      if (faults > 4 && revocations > 0 && windows > 0) return;
    }
    throw new Error(`Not enough was tested: ${JSON.stringify(chaos.figures())}`);
  });
});
