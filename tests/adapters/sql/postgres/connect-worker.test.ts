import { expect } from 'chai';
import type { Knex } from 'knex';
import { connectWorker } from '../../../../src/adapters/sql/postgres/connect-worker.js';
import { openDatabase } from '../../../../src/adapters/sql/postgres/open-database.js';
import { createTestDatabase } from '../../../support/postgres/test-postgres.js';

describe('WorkerConnection', () => {
  let url: string;
  let other: Knex;

  before(async () => {
    url = await createTestDatabase();
    other = openDatabase(url, {
      name: 'other',
      connections: [0, 1],
      connectTimeoutMs: 60_000,
      acquireTimeoutMs: 60_000,
      mayWrite: true,
    });
  });

  after(() => other.destroy());

  it('is no longer intact when a statement fails because the server has ended the session', async () => {
    for (let round = 0; round < 10; round++) {
      const connection = connectWorker(url, 'worker', true);
      try {
        const { rows } = await connection.database.raw('select pg_backend_pid() as pid');
        expect(connection.isIntact).to.equal(true);
        const failure = connection.database.transaction(async (transaction) => {
          await transaction.raw('select 1');
          await other.raw('select pg_terminate_backend(?)', [rows[0].pid]);
          for (;;) await transaction.raw('select 1');
        });
        const wasIntact = await failure.then(
          () => true,
          () => connection.isIntact,
        );
        expect(wasIntact).to.equal(false);
      } finally {
        await connection.close();
      }
    }
  });
});
