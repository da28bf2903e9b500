import { expect } from 'chai';
import sinon from 'sinon';
import { MemoryApiKeyDirectory } from '../../../src/adapters/memory/memory-api-key-directory.js';
import { MemoryGenerations } from '../../../src/adapters/memory/memory-generations.js';
import { MemoryReadModel } from '../../../src/adapters/memory/memory-read-model.js';
import { Sha256KeyHasher } from '../../../src/adapters/system/sha256-key-hasher.js';
import { aKey } from '../../../src/contracts/support/rows.js';
import type { ApiKey } from '../../../src/domain/model/api-key.js';
import { AuthenticateKeyHandler } from '../../../src/domain/queries/authenticate-key.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { leadingWriter } from '../../support/postgres/leading-writer.js';

const KEY = 'a-key-of-organization-a';
const hasher = new Sha256KeyHasher();

describe('AuthenticateKeyHandler', () => {
  let clock: SettableClock;
  let readModel: MemoryReadModel;
  let authentication: AuthenticateKeyHandler;

  const putKey = async (given: Partial<ApiKey>) => {
    const row = aKey({ id: 'id', hash: hasher.hash(KEY), ...given });
    await leadingWriter(readModel).replace({ kind: 'apiKeys', ids: [row.id], rows: [row] });
    return row;
  };

  beforeEach(() => {
    clock = new SettableClock();
    readModel = new MemoryReadModel(clock);
    const directory = new MemoryApiKeyDirectory(readModel);
    authentication = new AuthenticateKeyHandler(hasher, directory, new MemoryGenerations(readModel), clock);
  });

  it('answers the key that was sent, with the generation that it was found in', async () => {
    const row = await putKey({});

    expect(await authentication.handle({ key: KEY })).to.eql({
      key: row,
      generation: readModel.generationOf('org_a'),
    });
  });

  it('answers null for a key that nobody has, and for one in other letter case', async () => {
    await putKey({});

    expect(await authentication.handle({ key: `${KEY}x` })).to.equal(null);
    expect(await authentication.handle({ key: KEY.toUpperCase() })).to.equal(null);
  });

  it('answers null for a revoked key', async () => {
    await putKey({ revokedAt: clock.now() });

    expect(await authentication.handle({ key: KEY })).to.equal(null);
  });

  it('answers null for a key from the moment on at which it expires, without being told', async () => {
    await putKey({ expiresAt: clock.now() + 1 });

    expect(await authentication.handle({ key: KEY })).not.to.equal(null);
    clock.advance(1);
    expect(await authentication.handle({ key: KEY })).to.equal(null);
  });

  it('answers null for a hash that is sent as a key', async () => {
    await putKey({});

    expect(await authentication.handle({ key: hasher.hash(KEY) })).to.equal(null);
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

      expect(await handler.handle({ key })).to.equal(null);
      expect([hash.callCount, find.callCount, current.callCount]).to.eql([0, 0, 0]);
    });
  }

  it('looks up nothing but the hash, and asks for no generation where there is no key', async () => {
    const [find, current] = [sinon.fake.resolves(null), sinon.fake()];
    await new AuthenticateKeyHandler(hasher, { find }, { current }, clock).handle({ key: KEY });

    expect(find.args).to.eql([[hasher.hash(KEY), 0]]);
    expect(current.callCount).to.equal(0);
  });

  it('confirms a key that has moved at the generation of its new organization', async () => {
    const known = { key: aKey({ id: 'id', organizationId: 'org_a' }), generation: 5 };
    const moved = { key: { ...known.key, organizationId: 'org_b' }, generation: 6 };
    const revoked = { key: { ...moved.key, revokedAt: 1 }, generation: 7 };
    const find = sinon.stub().resolves(revoked).onFirstCall().resolves(moved);
    const current = sinon.fake.resolves(7);
    const handler = new AuthenticateKeyHandler(hasher, { find }, { current }, clock);

    expect(await handler.confirm(known, 6)).to.equal(null);
    expect([current.args, find.args.map(([, since]) => since)]).to.eql([[['org_b']], [6, 7]]);
  });

  it('passes on that a key cannot be looked up: nobody knows then whether it is good', async () => {
    const find = sinon.fake.rejects(new Error('no connection'));
    const handler = new AuthenticateKeyHandler(hasher, { find }, { current: sinon.fake() }, clock);
    const failure = await Promise.resolve(handler.handle({ key: KEY })).catch((error: unknown) => error);

    expect(failure).to.have.property('message', 'no connection');
  });
});
