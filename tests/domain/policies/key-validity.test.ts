import { expect } from 'chai';
import { aKey } from '../../../src/contracts/support/rows.js';
import { keyValidity } from '../../../src/domain/policies/key-validity.js';

const NOW = Date.UTC(2026, 0, 15, 12);

describe('keyValidity', () => {
  it('considers a key without an expiry valid at any time', () => {
    for (const now of [0, NOW, Number.MAX_SAFE_INTEGER]) {
      expect(keyValidity(aKey({ id: 'key' }), now)).to.equal('valid');
    }
  });

  it('considers a key valid until the last millisecond before it expires', () => {
    expect(keyValidity(aKey({ id: 'key', expiresAt: NOW + 1 }), NOW)).to.equal('valid');
  });

  it('considers a key expired from the millisecond of its expiry on', () => {
    expect(keyValidity(aKey({ id: 'key', expiresAt: NOW }), NOW)).to.equal('expired');
    expect(keyValidity(aKey({ id: 'key', expiresAt: NOW }), NOW + 1)).to.equal('expired');
  });

  it('judges the same key independently at each time', () => {
    const key = aKey({ id: 'key', expiresAt: NOW });

    expect([NOW - 1, NOW, NOW - 1].map((now) => keyValidity(key, now))).to.eql(['valid', 'expired', 'valid']);
  });

  it('accepts infinite times: a key may never expire, or may always have been expired', () => {
    expect(keyValidity(aKey({ id: 'key', expiresAt: Number.POSITIVE_INFINITY }), NOW)).to.equal('valid');
    expect(keyValidity(aKey({ id: 'key', expiresAt: Number.NEGATIVE_INFINITY }), NOW)).to.equal('expired');
  });

  it('considers a key revoked, whatever the time of the revocation and of its expiry', () => {
    for (const revokedAt of [0, NOW - 1, NOW, NOW + 1]) {
      for (const expiresAt of [null, NOW - 1, NOW + 1]) {
        expect(keyValidity(aKey({ id: 'key', revokedAt, expiresAt }), NOW)).to.equal('revoked');
      }
    }
  });
});
