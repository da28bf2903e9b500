import { expect } from 'chai';
import { Chaos } from '../chaos/chaos.js';
import { faultPlans } from '../chaos/fault-plan.js';
import { redisForTests } from '../support/test-redis.js';

const SEED = 6084;
const ROUND_MS = 3_500;

/** A moment of what `npm run chaos` does for as long as one likes, with other seeds. */
describe('Whatever is killed, frozen and cut off, under load,', () => {
  let chaos: Chaos | null = null;

  before(async function () {
    chaos = await Chaos.begin(await redisForTests(this));
  });

  after(async () => {
    await chaos?.end();
  });

  it('no answer breaks a promise, and soon after all shows what the dashboard holds', async () => {
    if (chaos === null) throw new Error('Nothing was started');
    const [plan = {}] = faultPlans(SEED, 1, chaos.installation.parts);
    expect(await chaos.round(plan, ROUND_MS), `seed ${SEED}`).to.deep.equal([]);
    const { faults, revocations, windows } = chaos.figures();
    expect(faults).to.be.greaterThan(4);
    expect(revocations).to.be.greaterThan(0);
    expect(windows).to.be.greaterThan(0);
  });
});
