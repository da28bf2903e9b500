import type { Knex } from 'knex';
import type pg from 'pg';

/** A pooler gives its clients numbers of its own for their sessions; PostgreSQL itself tells the one that it has. */
export async function isBehindPooler(database: Knex): Promise<boolean> {
  const connection: pg.Client & { readonly processID: number } = await database.client.acquireConnection();
  try {
    const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
    return rows[0]?.pid !== connection.processID;
  } finally {
    await database.client.releaseConnection(connection);
  }
}
