import { expect } from 'chai';
import { aKey } from '../../../src/contracts/support/rows.js';
import { keyValidity } from '../../../src/domain/policies/key-validity.js';

const NOW = Date.UTC(2026, 0, 15, 12);

describe('keyValidity', () => {
  it('takes a key without an end as valid at any time', () => {
    for (const now of [0, NOW, Number.MAX_SAFE_INTEGER]) {
      expect(keyValidity(aKey({ id: 'key' }), now)).to.equal('valid');
    }
  });

  it('takes a key as valid up to the last millisecond before it expires', () => {
    expect(keyValidity(aKey({ id: 'key', expiresAt: NOW + 1 }), NOW)).to.equal('valid');
  });

  it('takes a key as expired from the very millisecond on at which it expires', () => {
    expect(keyValidity(aKey({ id: 'key', expiresAt: NOW }), NOW)).to.equal('expired');
    expect(keyValidity(aKey({ id: 'key', expiresAt: NOW }), NOW + 1)).to.equal('expired');
  });

  it('judges the same key again at every time', () => {
    const key = aKey({ id: 'key', expiresAt: NOW });

    expect([NOW - 1, NOW, NOW - 1].map((now) => keyValidity(key, now))).to.eql(['valid', 'expired', 'valid']);
  });

  it('knows keys that expire at no time and keys that always were expired', () => {
    expect(keyValidity(aKey({ id: 'key', expiresAt: Number.POSITIVE_INFINITY }), NOW)).to.equal('valid');
    expect(keyValidity(aKey({ id: 'key', expiresAt: Number.NEGATIVE_INFINITY }), NOW)).to.equal('expired');
  });

  it('takes a key as revoked whatever the time of the revocation, and whatever its expiry', () => {
    for (const revokedAt of [0, NOW - 1, NOW, NOW + 1]) {
      for (const expiresAt of [null, NOW - 1, NOW + 1]) {
        expect(keyValidity(aKey({ id: 'key', revokedAt, expiresAt }), NOW)).to.equal('revoked');
      }
    }
  });
});
