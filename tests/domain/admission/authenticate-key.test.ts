import { expect } from 'chai';
import sinon from 'sinon';
import { Sha256KeyHasher } from '../../../src/adapters/system/sha256-key-hasher.js';
import { MemoryApiKeyDirectory } from '../../../src/contracts/fakes/memory-api-key-directory.js';
import { MemoryGenerations } from '../../../src/contracts/fakes/memory-generations.js';
import { MemoryReadModel } from '../../../src/contracts/fakes/memory-read-model.js';
import { aKey } from '../../../src/contracts/support/rows.js';
import { AuthenticateKeyHandler } from '../../../src/domain/admission/authenticate-key.js';
import type { ApiKey } from '../../../src/domain/model/api-key.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { leadingWriter } from '../../support/postgres/leading-writer.js';
import { keyRefusalOf } from '../refusal-of.js';

const KEY = 'a-key-of-organization-a';
const hasher = new Sha256KeyHasher();
const UNKNOWN = { reason: 'unknown', keyId: null };

describe('AuthenticateKeyHandler', () => {
  let clock: SettableClock;
  let readModel: MemoryReadModel;
  let authentication: AuthenticateKeyHandler;

  const putKey = async (given: Partial<ApiKey>) => {
    const row = aKey({ id: 'id', hash: hasher.hash(KEY), ...given });
    await leadingWriter(readModel).replace({ kind: 'apiKeys', ids: [row.id], rows: [row] });
    return row;
  };

  const refusalOfKey = (key: string) => keyRefusalOf(() => authentication.handle({ key }));

  beforeEach(() => {
    clock = new SettableClock();
    readModel = new MemoryReadModel(clock);
    const directory = new MemoryApiKeyDirectory(readModel);
    authentication = new AuthenticateKeyHandler(hasher, directory, new MemoryGenerations(readModel), clock);
  });

  it('returns the key that was sent, with the generation at which it was found', async () => {
    const row = await putKey({});

    expect(await authentication.handle({ key: KEY })).to.eql({
      key: row,
      generation: readModel.generationOf('org_a'),
    });
  });

  it('refuses a revoked key', async () => {
    await putKey({ revokedAt: clock.now() });

    expect(await refusalOfKey(KEY)).to.eql({ reason: 'revoked', keyId: 'id' });
  });

  it('refuses a key from the moment it expires, though nothing has changed', async () => {
    await putKey({ expiresAt: clock.now() + 1 });

    await authentication.handle({ key: KEY });
    clock.advance(1);
    expect(await refusalOfKey(KEY)).to.eql({ reason: 'expired', keyId: 'id' });
  });

  it('refuses a hash that is sent as a key', async () => {
    await putKey({});

    expect(await refusalOfKey(hasher.hash(KEY))).to.eql(UNKNOWN);
  });

  for (const [what, key] of [
    ['missing', null],
    ['empty', ''],
    ['too short', 'k'.repeat(15)],
    ['too long', 'k'.repeat(257)],
    ['not of visible ASCII', 'a key with spaces in it'],
    ['sent twice', `${KEY}, ${KEY}`],
  ] as const) {
    it(`neither hashes nor looks up a key that is ${what}`, async () => {
      const hash = sinon.fake();
      const find = sinon.fake();
      const current = sinon.fake();
      const handler = new AuthenticateKeyHandler({ hash }, { find }, { current }, clock);

      const reason = key === null ? 'missing' : 'malformed';
      expect(await keyRefusalOf(() => handler.handle({ key }))).to.eql({ reason, keyId: null });
      expect([hash.callCount, find.callCount, current.callCount]).to.eql([0, 0, 0]);
    });
  }

  it('looks up only the hash, and reads no generation for an unknown key', async () => {
    const [find, current] = [sinon.fake.resolves(null), sinon.fake()];
    const handler = new AuthenticateKeyHandler(hasher, { find }, { current }, clock);
    expect(await keyRefusalOf(() => handler.handle({ key: KEY }))).to.eql(UNKNOWN);

    expect(find.args).to.eql([[hasher.hash(KEY), 0]]);
    expect(current.callCount).to.equal(0);
  });

  it('passes a failed lookup on, because it is unknown whether the key is valid', async () => {
    const find = sinon.fake.rejects(new Error('no connection'));
    const handler = new AuthenticateKeyHandler(hasher, { find }, { current: sinon.fake() }, clock);
    const failure = await Promise.resolve(handler.handle({ key: KEY })).catch((error: unknown) => error);

    expect(failure).to.have.property('message', 'no connection');
  });
});
