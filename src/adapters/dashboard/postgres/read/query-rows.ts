import type { Knex } from 'knex';
import type pg from 'pg';

type Stored = Readonly<Record<string, unknown>>;

/** On the driver's own connection: Knex would take a `?` or `:name` of a mapping for a binding. */
export async function runStatement<Row extends object = Stored>(
  database: Knex,
  statement: string,
  values: readonly unknown[] = [],
  prepared: { readonly name?: string } = {},
): Promise<pg.QueryResult<Row>> {
  const connection: pg.ClientBase = await database.client.acquireConnection();
  try {
    return await connection.query<Row>({ text: statement, values: [...values], ...prepared });
  } finally {
    await database.client.releaseConnection(connection);
  }
}

const QUERY_CANCELED = '57014';

/** Whether the server has ended a statement, as it does when its time limit is over. */
export function isTimeOver(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === QUERY_CANCELED;
}
