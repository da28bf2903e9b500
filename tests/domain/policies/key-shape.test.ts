import { expect } from 'chai';
import { couldBeKey } from '../../../src/domain/policies/key-validity.js';

describe('couldBeKey', () => {
  it('accepts only 16 to 256 characters', () => {
    const lengths = [0, 1, 15, 16, 17, 255, 256, 257, 10_000];

    expect(lengths.filter((length) => couldBeKey('k'.repeat(length)))).to.eql([16, 17, 255, 256]);
  });

  it('accepts only visible ASCII characters', () => {
    const taken: number[] = [];
    for (let unit = 0; unit <= 0xffff; unit++) {
      if (couldBeKey('k'.repeat(15) + String.fromCharCode(unit))) taken.push(unit);
    }

    expect([taken[0], taken.at(-1), taken.length]).to.eql([0x21, 0x7e, 0x7e - 0x21 + 1]);
  });

  it('refuses a line end, at the beginning and at the end', () => {
    for (const end of ['\n', '\r\n', '\u2028']) {
      expect(couldBeKey('k'.repeat(20) + end)).to.equal(false);
      expect(couldBeKey(end + 'k'.repeat(20))).to.equal(false);
    }
  });
});
