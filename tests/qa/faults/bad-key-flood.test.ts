import { expect } from 'chai';
import { CachedApiKeyDirectory } from '../../../src/adapters/memory/cached-api-key-directory.js';
import { PostgresApiKeyDirectory } from '../../../src/adapters/postgres/read/postgres-api-key-directory.js';
import { freshId } from '../../../src/contracts/support/fresh-id.js';
import { aKey } from '../../../src/contracts/support/rows.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { leadingWriter } from '../../support/postgres/leading-writer.js';
import { putInto, sharedReadTables } from '../../support/postgres/read-tables.js';

const BAD_KEYS = 5_000;

describe(`A flood of ${BAD_KEYS} invalid keys`, () => {
  const readTables = sharedReadTables();
  let directory: CachedApiKeyDirectory;
  let queries: number;
  const count = () => {
    queries++;
  };

  beforeEach(async () => {
    const put = putInto(leadingWriter(readTables()));
    for (const id of ['good', 'cold']) await put('apiKeys', aKey({ id }));
    directory = new CachedApiKeyDirectory(new PostgresApiKeyDirectory(readTables()), new SettableClock());
    queries = 0;
    readTables().on('query', count);
  });
  afterEach(() => {
    readTables().removeListener('query', count);
  });

  const flood = () => Promise.all(Array.from({ length: BAD_KEYS }, () => directory.find(freshId('bad'), 0)));

  it('causes one query, which finds none of them', async () => {
    expect(new Set(await flood())).to.deep.equal(new Set([null]));
    expect(queries).to.equal(1);
  });

  it('causes neither a lookup nor a wait for a cached key', async () => {
    await directory.find('hash-of-good', 0);
    const pending = flood();
    const before = queries;
    for (let n = 0; n < 100; n++) expect((await directory.find('hash-of-good', 0))?.key.id).to.equal('good');
    expect(queries).to.equal(before);
    await pending;
  });

  it('does not prevent a valid key from being found for the first time', async () => {
    const pending = flood();
    expect((await directory.find('hash-of-cold', 0))?.key.id).to.equal('cold');
    await pending;
  });
});
