import { expect } from 'chai';
import { newKey } from '../../../../src/adapters/dashboard/source/dashboard-keys.js';
import { couldBeKey } from '../../../../src/domain/policies/key-validity.js';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** CRC-32 as its standard defines it, bit by bit. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

const numberOf = (digits: string) =>
  [...digits].reduce((value, digit) => value * 62 + BASE62.indexOf(digit), 0);

describe('a new key', () => {
  const keys = Array.from({ length: 500 }, newKey);

  it('consists of brk_, 32 characters of base62 and 6 of checksum', () => {
    for (const key of keys) expect(key).to.match(/^brk_[0-9A-Za-z]{38}$/);
  });

  it('ends with the CRC-32 of its random characters, in base62', () => {
    expect(crc32('123456789')).to.equal(0xcbf43926);
    for (const key of keys) expect(numberOf(key.slice(-6))).to.equal(crc32(key.slice(4, 36)));
  });

  it('is never the same twice', () => {
    expect(new Set(keys).size).to.equal(keys.length);
  });

  it('uses every character of base62, about as often as any other', () => {
    const characters = keys.flatMap((key) => [...key.slice(4, 36)]);
    const expected = characters.length / 62;
    for (const character of BASE62) {
      const times = characters.filter((other) => other === character).length;
      expect(times, character).to.be.within(expected * 0.5, expected * 1.6);
    }
  });

  it('has the shape of a key', () => {
    expect(keys.every(couldBeKey)).to.equal(true);
  });
});
