import type { Knex } from 'knex';
import type pg from 'pg';
import { PostgresBlogReader } from '../../../../src/adapters/postgres/read/postgres-blog-reader.js';

interface Sent {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

/** What a read returns, and how PostgreSQL executed its first statement. */
export async function explained<Found>(
  database: Knex,
  read: (reader: PostgresBlogReader) => Promise<Found>,
): Promise<{ readonly found: Found; readonly plan: string }> {
  const sent: Sent[] = [];
  const record = (statement: Sent) => sent.push(statement);
  database.on('query', record);
  const found = await read(new PostgresBlogReader(database));
  database.off('query', record);
  const [{ sql, bindings }] = sent as [Sent];
  // Sent without Knex, which would read the question marks as bindings.
  const connection: pg.ClientBase = await database.client.acquireConnection();
  const { rows } = await connection.query<{ 'QUERY PLAN': string }>(`explain analyze ${sql}`, [...bindings]);
  database.client.releaseConnection(connection);
  return { found, plan: rows.map((row) => row['QUERY PLAN']).join('\n') };
}
