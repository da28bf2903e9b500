import { expect } from 'chai';
import * as mocha from 'mocha';
import sinon from 'sinon';
import { CachedApiKeyDirectory } from '../../src/adapters/memory/cached-api-key-directory.js';
import { PostgresApiKeyDirectory } from '../../src/adapters/postgres/read/postgres-api-key-directory.js';
import { PostgresGenerations } from '../../src/adapters/postgres/read/postgres-generations.js';
import { MemoryApiKeyDirectory } from '../../src/contracts/fakes/memory-api-key-directory.js';
import { MemoryGenerations } from '../../src/contracts/fakes/memory-generations.js';
import { MemoryReadModel } from '../../src/contracts/fakes/memory-read-model.js';
import {
  type ApiKeyDirectorySubject,
  apiKeyDirectoryContract,
} from '../../src/contracts/reading/api-key-directory.contract.js';
import type { LeadingWriter } from '../../src/contracts/support/leading-writer.js';
import { aKey } from '../../src/contracts/support/rows.js';
import type { KnownKey } from '../../src/domain/model/api-key.js';
import type { ApiKeyDirectory } from '../../src/domain/ports/reading/api-key-directory.js';
import type { Generations } from '../../src/domain/ports/reading/generations.js';
import { Gate } from '../support/clock/gate.js';
import { SettableClock } from '../support/clock/settable-clock.js';
import { leadingWriter } from '../support/postgres/leading-writer.js';
import { putInto, sharedReadTables } from '../support/postgres/read-tables.js';

apiKeyDirectoryContract(mocha, MemoryApiKeyDirectory, async () => {
  const readModel = new MemoryReadModel(new SettableClock());
  return filledBy(
    leadingWriter(readModel),
    new MemoryApiKeyDirectory(readModel),
    new MemoryGenerations(readModel),
    new SettableClock(),
  );
});

apiKeyDirectoryContract(mocha, CachedApiKeyDirectory, async () => {
  const clock = new SettableClock();
  const readModel = new MemoryReadModel(clock);
  const subject = new CachedApiKeyDirectory(new MemoryApiKeyDirectory(readModel), clock);
  return filledBy(leadingWriter(readModel), subject, new MemoryGenerations(readModel), clock);
});

describe('On PostgreSQL,', () => {
  const readTables = sharedReadTables();
  const filledByJob = (subject: ApiKeyDirectory, clock = new SettableClock()) =>
    filledBy(leadingWriter(readTables()), subject, new PostgresGenerations(readTables()), clock);

  apiKeyDirectoryContract(mocha, PostgresApiKeyDirectory, async () =>
    filledByJob(new PostgresApiKeyDirectory(readTables())),
  );

  apiKeyDirectoryContract(mocha, CachedApiKeyDirectory, async () => {
    const clock = new SettableClock();
    return filledByJob(new CachedApiKeyDirectory(new PostgresApiKeyDirectory(readTables()), clock), clock);
  });
});

describe('CachedApiKeyDirectory', () => {
  const key = aKey({ id: 'key' });
  let lookUp: sinon.SinonStub<Parameters<ApiKeyDirectory['find']>, ReturnType<ApiKeyDirectory['find']>>;
  let clock: SettableClock;
  let directory: CachedApiKeyDirectory;

  beforeEach(() => {
    lookUp = sinon.stub();
    clock = new SettableClock();
    directory = new CachedApiKeyDirectory({ find: lookUp }, clock);
  });

  it('looks a key up once for all callers that accept the generation of that lookup', async () => {
    lookUp.resolves({ key, generation: 5 });
    for (const since of [0, 5, 0]) {
      expect(await directory.find('hash', since)).to.deep.equal({ key, generation: 5 });
    }
    clock.advance(86_400_000);
    await directory.find('hash', 5);
    sinon.assert.calledOnceWithExactly(lookUp, 'hash', 0);
  });

  it('looks a key up again for a caller whose generation a failover took back', async () => {
    lookUp.resolves({ key, generation: 5 });
    await directory.find('hash', 5);
    const revoked = { key: { ...key, revokedAt: 1 }, generation: 4 };
    lookUp.resolves(revoked);
    expect(await directory.find('hash', 4)).to.deep.equal(revoked);
  });

  it('looks a key up again, once, for a caller that has read a newer generation', async () => {
    lookUp.resolves({ key, generation: 5 });
    await directory.find('hash', 0);
    const changed = { key: { ...key, revokedAt: 1 }, generation: 7 };
    lookUp.resolves(changed);
    for (const since of [6, 7, 0]) expect(await directory.find('hash', since)).to.deep.equal(changed);
    expect(lookUp.args).to.deep.equal([
      ['hash', 0],
      ['hash', 6],
    ]);
  });

  it('continues to look for a generation that the other directory has not reached', async () => {
    lookUp.resolves({ key, generation: 5 });
    await directory.find('hash', 6);
    await directory.find('hash', 6);
    sinon.assert.calledTwice(lookUp);
    lookUp.resolves({ key, generation: 6 });
    expect(await directory.find('hash', 6)).to.deep.equal({ key, generation: 6 });
  });

  it('shares a lookup among concurrent callers that require the same generation, and no others', async () => {
    lookUp.callsFake(async (_hash, since) => ({ key, generation: since }));
    const lookups = [0, 0, 0, 4, 4].map((since) => directory.find('hash', since));
    const generations = (await Promise.all(lookups)).map((known) => known?.generation);
    expect(generations).to.deep.equal([0, 0, 0, 4, 4]);
    sinon.assert.calledTwice(lookUp);
  });

  it('caches for 50 ms, and no longer, that a key does not exist', async () => {
    lookUp.resolves(null);
    expect(await directory.find('hash', 0)).to.equal(null);
    lookUp.resolves({ key, generation: 5 });
    clock.advance(49);
    expect(await directory.find('hash', 0)).to.equal(null);
    clock.advance(1);
    expect(await directory.find('hash', 0)).to.deep.equal({ key, generation: 5 });
  });

  it('counts these 50 ms from the start of the lookup, which does not see what is committed later', async () => {
    const slow = new Gate<KnownKey | null>();
    lookUp.callsFake(() => slow.wait());
    const refused = directory.find('hash', 0);
    clock.advance(50);
    slow.open(null);
    expect(await refused).to.equal(null);
    lookUp.resetBehavior();
    lookUp.resolves({ key, generation: 5 });
    expect(await directory.find('hash', 0)).to.deep.equal({ key, generation: 5 });
  });

  it('shares no lookup that started 50 ms before, and that lookup returns its own answer', async () => {
    const slow = new Gate<KnownKey | null>();
    lookUp.onFirstCall().callsFake(() => slow.wait());
    lookUp.onSecondCall().resolves({ key, generation: 5 });
    const refused = directory.find('hash', 0);
    clock.advance(49);
    const sharing = directory.find('hash', 0);
    clock.advance(1);
    expect(await directory.find('hash', 0)).to.deep.equal({ key, generation: 5 });
    slow.open(null);
    expect(await Promise.all([refused, sharing])).to.deep.equal([null, null]);
    lookUp.onThirdCall().resolves({ key, generation: 5 });
    expect(await directory.find('hash', 0), 'the old answer hides nothing').to.deep.equal({
      key,
      generation: 5,
    });
  });

  it('keeps as many keys as fit into its bytes, whatever the length of their ids', async () => {
    lookUp.callsFake(async (hash) => ({ key: { ...key, id: hash.padEnd(1_000_000, '-') }, generation: 5 }));
    for (let n = 0; n < 20; n++) await directory.find(`hash ${n}`, 0);
    lookUp.resetHistory();
    for (let n = 19; n >= 0; n--) await directory.find(`hash ${n}`, 5);
    expect(lookUp.callCount).to.be.within(16, 19);
  });

  it('deletes a key that a new lookup does not find, also for callers that require no generation', async () => {
    lookUp.resolves({ key, generation: 5 });
    await directory.find('hash', 0);
    lookUp.resolves(null);
    expect(await directory.find('hash', 6)).to.equal(null);
    expect(await directory.find('hash', 0)).to.equal(null);
    clock.advance(50);
    expect(await directory.find('hash', 0)).to.equal(null);
  });

  it('rejects if a lookup fails, and does not cache the failure', async () => {
    lookUp.rejects(new Error('The database is away'));
    const failure = await Promise.resolve(directory.find('hash', 0)).catch((error: unknown) => error);
    expect(failure).to.include({ message: 'The database is away' });
    lookUp.resolves({ key, generation: 5 });
    expect(await directory.find('hash', 0)).to.deep.equal({ key, generation: 5 });
  });

  it('keeps a key if a new lookup of it fails', async () => {
    lookUp.resolves({ key, generation: 5 });
    await directory.find('hash', 0);
    lookUp.rejects(new Error('The database is away'));
    await Promise.resolve(directory.find('hash', 6)).catch(() => {});
    expect(await directory.find('hash', 5)).to.deep.equal({ key, generation: 5 });
  });
});

function filledBy(
  writer: LeadingWriter,
  subject: ApiKeyDirectory,
  generations: Generations,
  clock: SettableClock,
): ApiKeyDirectorySubject {
  return {
    subject,
    put: (...keys) => putInto(writer)('apiKeys', ...keys),
    remove: async (...ids) => void (await writer.replace({ kind: 'apiKeys', ids, rows: [] })),
    generations,
    elapse: (milliseconds) => clock.advance(milliseconds),
  };
}
