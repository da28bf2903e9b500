import { expect } from 'chai';
import { firstAttemptAt, nextAttemptAt } from '../../../src/domain/policies/next-attempt.js';

const START = Date.UTC(2026, 0, 1);
const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;

describe('The attempts of a webhook', () => {
  it('begin a second after the change, however late it is seen, and whatever the clock says', () => {
    const generation = START * 1_000;
    expect(firstAttemptAt(generation, START)).to.equal(START + SECOND);
    expect(firstAttemptAt(generation, START + DAY)).to.equal(START + SECOND);
    expect(firstAttemptAt(generation, START - DAY)).to.equal(START - DAY + SECOND);
  });

  it('are repeated at pauses that double up to ten minutes, for a day', () => {
    const pauses: number[] = [];
    let now = START;
    for (let attempts = 1; ; attempts++) {
      const next = nextAttemptAt(attempts, START, now);
      if (next === null) break;
      pauses.push((next - now) / SECOND);
      now = next;
    }
    expect(pauses.slice(0, 12)).to.deep.equal([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]);
    expect(new Set(pauses.slice(12))).to.deep.equal(new Set([600]));
    expect(now - START).to.be.within(DAY - 600 * SECOND, DAY);
  });
});
