import { expect } from 'chai';
import { openConnection } from '../../../../src/adapters/sql/postgres/open-database.js';
import { createTestDatabase } from '../../../support/postgres/test-postgres.js';

describe('A single connection', () => {
  it('that the server ends between two queries fails the next query, not the process', async () => {
    const url = await createTestDatabase();
    const [connection, operator] = [
      await openConnection(url, 'test', 0),
      await openConnection(url, 'test', 0),
    ];
    const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
    const ended = new Promise((resolve) => connection.once('end', resolve));
    await operator.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    await ended;
    const next = await connection.query('select').catch((error: Error) => error);
    expect(next).to.be.instanceOf(Error);
    await operator.end();
  });
});
