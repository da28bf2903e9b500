import { expect } from 'chai';
import { Outages } from './outages.js';
import { Troubles } from './troubles.js';

const PARTS = ['read database', 'replica one', 'replica other'];
const REPLICAS = PARTS.slice(1);

describe('During chaos, a 500', () => {
  const judged = (broken: readonly string[], { wasAdmitted = true, replicas = REPLICAS } = {}) => {
    const troubles = new Troubles();
    for (const part of broken) troubles.begin(part, 'cut off');
    const now = performance.now();
    const failed = { path: '/', organizationId: 'org', wasAdmitted, from: now, to: now };
    return new Outages(troubles, replicas).excuse(failed);
  };

  it('is excused while no database is available', () => {
    expect(judged(PARTS)).to.equal(true);
    expect(judged(['read database'], { replicas: [] })).to.equal(true);
  });

  it('is excused while the primary is unavailable, if the key is new', () => {
    expect(judged(['read database'], { wasAdmitted: false })).to.equal(true);
  });

  it('is otherwise not excused', () => {
    expect(judged(['read database'])).to.equal(false);
    expect(judged(['read database', 'replica one'])).to.equal(false);
    expect(judged(REPLICAS)).to.equal(false);
    expect(judged([], { wasAdmitted: false })).to.equal(false);
    expect(judged(['redis cluster'])).to.equal(false);
  });
});
