import { expect } from 'chai';
import sinon from 'sinon';
import { Authentication } from '../../../src/application/requests/authentication.js';
import { aKey } from '../../../src/contracts/support/rows.js';
import type { ApiKey, KnownKey } from '../../../src/domain/model/api-key.js';
import { keyRefusalOf } from '../../domain/refusal-of.js';
import { SettableClock } from '../../support/clock/settable-clock.js';

const KEY = 'a-key-of-organization-a';
const confirmed = (generation: number) => ({ generation, isConfirmed: true });
const HASH = 'hash-of-the-key';
const EXPIRED = { reason: 'expired', keyId: 'key' };
const UNKNOWN = { reason: 'unknown', keyId: null };

describe('Authentication', () => {
  const clock = new SettableClock();
  const hash = sinon.stub<[key: string], string>();
  const find = sinon.stub<[hash: string, since: number], Promise<KnownKey | null>>();
  const current = sinon.stub<[organizationId: string], Promise<number>>();
  const requireSync = sinon.stub<[], Promise<void>>();
  const authentication = new Authentication({ hash }, { find }, { current, requireSync }, clock);

  const known = (generation: number, given: Partial<ApiKey> = {}): KnownKey => ({
    key: aKey({ id: 'key', hash: HASH, ...given }),
    generation,
  });
  const revoked = { revokedAt: clock.now() };
  const expired = { expiresAt: clock.now() };
  const refusal = () => keyRefusalOf(() => authentication.authenticate(KEY));

  beforeEach(() => {
    for (const stub of [hash, find, current, requireSync]) stub.reset();
    hash.withArgs(KEY).returns(HASH);
  });

  it('asks for no key while the tables may lack one, or its revocation', async () => {
    requireSync.rejects(new Error('too old'));
    const failure = await authentication.authenticate(KEY).catch((error: Error) => error.message);
    expect([failure, find.callCount]).to.eql(['too old', 0]);
  });

  it('returns the key with the generation at which it was found, and reads none while it is valid', async () => {
    find.withArgs(HASH, 0).resolves(known(5));

    expect(await authentication.authenticate(KEY)).to.eql(known(5));
    expect(current.callCount).to.equal(0);
  });

  for (const [reason, key] of [
    ['missing', null],
    ['malformed', 'short'],
  ] as const) {
    it(`neither hashes nor looks up a key that is ${reason}`, async () => {
      expect(await keyRefusalOf(() => authentication.authenticate(key))).to.eql({ reason, keyId: null });
      expect([hash.callCount, find.callCount, current.callCount]).to.eql([0, 0, 0]);
    });
  }

  it('refuses an unknown key without reading a generation', async () => {
    find.resolves(null);

    expect(await refusal()).to.eql(UNKNOWN);
    expect(current.callCount).to.equal(0);
  });

  it('passes a failed lookup on, because it is unknown whether the key is valid', async () => {
    find.rejects(new Error('no connection'));
    const failure = await authentication.authenticate(KEY).catch((error: unknown) => error);

    expect(failure).to.have.property('message', 'no connection');
  });

  it('detects that the expiry of a key was extended before it expired', async () => {
    find.withArgs(HASH, 0).resolves(known(5, expired));
    find.withArgs(HASH, 6).resolves(known(6));
    current.withArgs('org_a').resolves(6);

    expect(await authentication.authenticate(KEY)).to.eql(known(6));
  });

  for (const [given, reason] of [
    [expired, 'expired'],
    [revoked, 'revoked'],
  ] as const) {
    it(`refuses a key that is ${reason} in the current generation, too`, async () => {
      find.resolves(known(5, given));
      current.resolves(5);

      expect(await refusal()).to.eql({ reason, keyId: 'key' });
      expect(find.callCount).to.equal(1);
    });
  }

  describe('confirms a cached key', () => {
    it('without a lookup while its organization has not changed', async () => {
      expect(await authentication.recheck(known(5), confirmed(5))).to.eql(known(5));
      expect(await authentication.recheck(known(5), { generation: 4, isConfirmed: false })).to.eql(known(5));
      expect(find.callCount).to.equal(0);
    });

    it('with a new lookup if a failover took its organization back to an earlier generation', async () => {
      find.resolves(known(4, revoked));

      expect(await keyRefusalOf(() => authentication.recheck(known(5), confirmed(4)))).to.eql({
        reason: 'revoked',
        keyId: 'key',
      });
    });

    it('with a new lookup after its organization has changed', async () => {
      find.resolves(known(6, { expiresAt: clock.now() + 1 }));

      expect(await authentication.recheck(known(5), confirmed(6))).to.eql(
        known(6, { expiresAt: clock.now() + 1 }),
      );
      expect(find.args).to.eql([[HASH, 6]]);
    });

    for (const [what, present, refused] of [
      ['gone', null, UNKNOWN],
      ['revoked', known(6, revoked), { reason: 'revoked', keyId: 'key' }],
      ['expired', known(6, expired), EXPIRED],
    ] as const) {
      it(`no longer once it is ${what}`, async () => {
        find.resolves(present);

        expect(await keyRefusalOf(() => authentication.recheck(known(5), confirmed(6)))).to.eql(refused);
      });
    }

    it('no longer from the moment it expires, though nothing has changed', async () => {
      expect(await keyRefusalOf(() => authentication.recheck(known(5, expired), confirmed(5)))).to.eql(
        EXPIRED,
      );
    });
  });
});
