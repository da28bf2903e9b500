import { expect } from 'chai';
import type { Knex } from 'knex';
import { openDatabase } from '../../../../src/adapters/postgres/connection/open-database.js';
import { createTestDatabase } from '../../../support/postgres/test-postgres.js';

const TIMEOUT_MS = 500;

describe('A connection after a long query', () => {
  let database: Knex;

  before(async () => {
    database = openDatabase(await createTestDatabase(), {
      name: 'test',
      connections: [0, 1],
      connectTimeoutMs: 5_000,
      acquireTimeoutMs: 5_000,
      longestQueryMs: TIMEOUT_MS,
      mayWrite: false,
    });
  });
  after(() => database?.destroy());

  const pid = async () => (await database.raw('select pg_backend_pid() as pid')).rows[0].pid;

  it('is used again if its answer arrived in time', async () => {
    expect(await pid()).to.equal(await pid());
  });

  it('is not used again if the process cancelled the query, because the cancellation may hit the next one', async () => {
    // The answer has arrived, but the process does not read it in time.
    database.once('query', () => process.nextTick(stallFor, TIMEOUT_MS + 100));
    const first = await pid();
    expect(await pid()).to.not.equal(first);
  });
});

function stallFor(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}
