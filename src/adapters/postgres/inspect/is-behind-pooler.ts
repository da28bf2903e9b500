import type { Knex } from 'knex';
import type pg from 'pg';

export async function isBehindPooler(database: Knex): Promise<boolean> {
  const connection: pg.Client = await database.client.acquireConnection();
  try {
    return await isPooled(connection);
  } finally {
    await database.client.releaseConnection(connection);
  }
}

/** A pooler gives its clients session numbers of its own; PostgreSQL reports the real one. */
export async function isPooled(connection: pg.Client): Promise<boolean> {
  const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid !== (connection as pg.Client & { readonly processID: number }).processID;
}
