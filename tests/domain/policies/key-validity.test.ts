import { expect } from 'chai';
import { aKey } from '../../../src/contracts/support/rows.js';
import { couldBeKey, keyValidity } from '../../../src/domain/policies/key-validity.js';

const NOW = Date.UTC(2026, 0, 15, 12);
const { POSITIVE_INFINITY, NEGATIVE_INFINITY } = Number;

describe('keyValidity', () => {
  for (const [expiresAt, validity] of [
    [null, 'valid'],
    [NOW + 1, 'valid'],
    [NOW, 'expired'],
    [NOW - 1, 'expired'],
    [POSITIVE_INFINITY, 'valid'],
    [NEGATIVE_INFINITY, 'expired'],
  ] as const) {
    it(`considers a key that expires at ${expiresAt} ${validity} at ${NOW}, unless it is revoked`, () => {
      expect(keyValidity(aKey({ id: 'key', expiresAt }), NOW)).to.equal(validity);
      for (const revokedAt of [0, NOW - 1, NOW, NOW + 1]) {
        expect(keyValidity(aKey({ id: 'key', revokedAt, expiresAt }), NOW)).to.equal('revoked');
      }
    });
  }
});

describe('couldBeKey', () => {
  it('accepts only 16 to 256 characters', () => {
    const lengths = [0, 1, 15, 16, 17, 255, 256, 257, 10_000];
    expect(lengths.filter((length) => couldBeKey('k'.repeat(length)))).to.eql([16, 17, 255, 256]);
  });

  it('accepts only visible ASCII characters, and no line end', () => {
    const taken: number[] = [];
    for (let unit = 0; unit <= 0xffff; unit++) {
      if (couldBeKey('k'.repeat(20) + String.fromCharCode(unit))) taken.push(unit);
    }
    expect([taken[0], taken.at(-1), taken.length]).to.eql([0x21, 0x7e, 0x7e - 0x21 + 1]);
    expect(couldBeKey(`\n${'k'.repeat(20)}`)).to.equal(false);
  });
});
