import { expect } from 'chai';
import fc from 'fast-check';
import { nextGeneration } from '../../../src/domain/policies/next-generation.js';

const NOW = Date.UTC(2026, 0, 15, 12);

describe('nextGeneration', () => {
  it('starts at the clock in microseconds', () => {
    expect(nextGeneration(0, NOW)).to.equal(NOW * 1000);
  });

  it('never repeats a number, however the clock jumps', () => {
    const clock = fc.array(fc.integer({ min: NOW - 1_000_000, max: NOW + 1_000_000 }), { minLength: 2 });
    fc.assert(
      fc.property(clock, (times) => {
        let last = 0;
        for (const time of times) {
          const next = nextGeneration(last, time);
          expect(next).to.be.above(last);
          last = next;
        }
      }),
    );
  });

  it('is greater in a recreated database than all that the lost one issued in a million changes', () => {
    let lost = 0;
    for (let change = 0; change < 1_000_000; change++) lost = nextGeneration(lost, NOW);

    expect(nextGeneration(0, NOW + 1000)).to.be.above(lost);
  });

  it('stays a safe integer for two centuries', () => {
    expect(Number.isSafeInteger(nextGeneration(0, Date.UTC(2226, 0, 1)))).to.equal(true);
  });
});
