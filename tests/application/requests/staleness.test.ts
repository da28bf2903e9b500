import { expect } from 'chai';
import { Staleness } from '../../../src/application/requests/staleness.js';

const MAX_AGE_MS = 600_000;
const LIFETIME_MS = 300_000;
const NOW = 1_800_000_000_000;

describe('Staleness', () => {
  const staleness = new Staleness(MAX_AGE_MS);
  for (const [what, generation, expiresAt, isShown] of [
    ['of the generation of the key, within its lifetime', 7, NOW + 1, true],
    ['of an earlier generation', 3, NOW + 1, true],
    ['whose lifetime has ended', 7, NOW, true],
    ['whose lifetime ended almost longestMs ago', 7, NOW - MAX_AGE_MS + 1, true],
    ['whose lifetime ended too long ago', 7, NOW - MAX_AGE_MS, false],
    ['of an earlier generation whose lifetime ended too long ago', 3, NOW - MAX_AGE_MS, false],
    ['that was computed now', 7, NOW + LIFETIME_MS, true],
    ['that was computed later than now, because the clock was set back', 7, NOW + LIFETIME_MS + 1, false],
    ['of a later generation, for which the key was not checked', 8, NOW + 1, false],
  ] as const) {
    it(`${isShown ? 'shows' : 'does not show'} an answer ${what}`, () => {
      expect(staleness.mayServe({ generation, expiresAt }, LIFETIME_MS, 7, NOW)).to.equal(isShown);
    });
  }

  for (const [ageMs, isGood] of [
    [0, true],
    [MAX_AGE_MS - 1, true],
    [MAX_AGE_MS, false],
  ] as const) {
    it(`${isGood ? 'uses' : 'does not use'} a generation that was read ${ageMs} ms ago`, () => {
      expect(staleness.mayUseGeneration(ageMs)).to.equal(isGood);
    });
  }
});
