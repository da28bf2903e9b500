import { expect } from 'chai';
import { nextAttemptAt } from '../../../src/application/sync/next-attempt.js';

const START = Date.UTC(2026, 0, 1);
const SECOND = 1_000;
const DAY = 24 * 60 * 60 * SECOND;

describe('The attempts of a webhook', () => {
  const delivery = {
    endpointId: 'e',
    organizationId: 'o',
    generation: START * 1_000,
    changes: [],
    attempts: 0,
    failingSince: null,
  };

  /** Until the message is given up. */
  function pausesOf(generation: number): readonly number[] {
    const pauses: number[] = [];
    let now = START;
    for (let attempts = 0; ; attempts++) {
      const failingSince = attempts === 0 ? null : START;
      const next = nextAttemptAt({ ...delivery, generation, attempts, failingSince }, now, 0);
      if (next === null) return pauses;
      pauses.push((next - now) / SECOND);
      now = next;
    }
  }

  it('are repeated at pauses that double up to ten minutes, for a day', () => {
    const pauses = pausesOf(START * 1_000);
    expect(pauses.slice(0, 12)).to.deep.equal([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]);
    expect(new Set(pauses.slice(12))).to.deep.equal(new Set([600]));
    const total = pauses.reduce((sum, pause) => sum + pause) * SECOND;
    expect(total).to.be.within(DAY - 600 * SECOND, DAY);
  });

  it('of messages that fail together spread over a quarter of the pause', () => {
    const first = (n: number) => pausesOf(START * 1_000 + n)[0] ?? 0;
    expect([0, 250, 500, 999].map(first)).to.deep.equal([1, 1.0625, 1.125, 1.24975]);
    expect(pausesOf(START * 1_000 + 500)[5]).to.equal(36);
  });

  it('are not before the time that the receiver has named, if it is within an hour', () => {
    const waits = (retryAfter: number, attempts = 0) =>
      ((nextAttemptAt({ ...delivery, attempts }, START, retryAfter * SECOND) ?? 0) - START) / SECOND;
    expect([waits(0.5), waits(90), waits(3_600), waits(7_200)]).to.deep.equal([1, 90, 3_600, 3_600]);
    expect(waits(90, 8)).to.equal(256);
    expect(waits(Number.POSITIVE_INFINITY)).to.equal(3_600);
  });
});
