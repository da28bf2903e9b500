import { expect } from 'chai';
import sinon from 'sinon';
import { aKey } from '../../../src/contracts/support/rows.js';
import { AuthenticateKeyHandler } from '../../../src/domain/admission/authenticate-key.js';
import type { ApiKey, KnownKey } from '../../../src/domain/model/api-key.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { keyRefusalOf } from '../refusal-of.js';

const KEY = 'a-key-of-organization-a';
const HASH = 'hash-of-the-key';
const EXPIRED = { reason: 'expired', keyId: 'key' };

describe('AuthenticateKeyHandler, with a cached key,', () => {
  const clock = new SettableClock();
  const find = sinon.stub<[hash: string, since: number], Promise<KnownKey | null>>();
  const current = sinon.stub<[organizationId: string], Promise<number>>();
  const authentication = new AuthenticateKeyHandler({ hash: () => HASH }, { find }, { current }, clock);

  const known = (generation: number, given: Partial<ApiKey> = {}): KnownKey => ({
    key: aKey({ id: 'key', hash: HASH, ...given }),
    generation,
  });
  const revoked = { revokedAt: clock.now() };
  const expired = { expiresAt: clock.now() };

  beforeEach(() => {
    find.reset();
    current.reset();
  });

  describe('confirms it', () => {
    it('without a lookup while its organization has not changed', async () => {
      expect(await authentication.confirm(known(5), 5)).to.eql(known(5));
      expect(await authentication.confirm(known(5), 4)).to.eql(known(5));
      expect(find.callCount).to.equal(0);
    });

    it('with a new lookup after its organization has changed', async () => {
      find.resolves(known(6, { expiresAt: clock.now() + 1 }));

      expect(await authentication.confirm(known(5), 6)).to.eql(known(6, { expiresAt: clock.now() + 1 }));
      expect(find.args).to.eql([[HASH, 6]]);
    });

    for (const [what, present, refusal] of [
      ['gone', null, { reason: 'unknown', keyId: null }],
      ['revoked', known(6, revoked), { reason: 'revoked', keyId: 'key' }],
      ['expired', known(6, expired), { reason: 'expired', keyId: 'key' }],
    ] as const) {
      it(`no longer once it is ${what}`, async () => {
        find.resolves(present);

        expect(await keyRefusalOf(() => authentication.confirm(known(5), 6))).to.eql(refusal);
      });
    }

    it('no longer from the moment it expires, though nothing has changed', async () => {
      expect(await keyRefusalOf(() => authentication.confirm(known(5, expired), 5))).to.eql(EXPIRED);
    });
  });

  it('reads no generation while the cached key is valid', async () => {
    find.resolves(known(5));

    expect(await authentication.handle({ key: KEY })).to.eql(known(5));
    expect(current.callCount).to.equal(0);
  });

  it('detects that the expiry of a key was extended before it expired', async () => {
    find.withArgs(HASH, 0).resolves(known(5, expired));
    find.withArgs(HASH, 6).resolves(known(6));
    current.withArgs('org_a').resolves(6);

    expect(await authentication.handle({ key: KEY })).to.eql(known(6));
  });

  it('refuses a key that has expired in the current generation, too', async () => {
    find.resolves(known(5, expired));
    current.resolves(5);

    expect(await keyRefusalOf(() => authentication.handle({ key: KEY }))).to.eql(EXPIRED);
    expect(find.callCount).to.equal(1);
  });
});
