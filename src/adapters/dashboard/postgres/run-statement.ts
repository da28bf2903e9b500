import type { Knex } from 'knex';
import type pg from 'pg';

type Stored = Readonly<Record<string, unknown>>;

/** Values of a statement that is put together: each gets a place, `$1`, `$2` … */
export class Values {
  readonly list: unknown[] = [];

  add(value: unknown): string {
    return `$${this.list.push(value)}`;
  }
}

/** Where a statement is only planned: the values stand in it, and are not sent. */
export class WrittenValues extends Values {
  override add(value: unknown): string {
    const text = Array.isArray(value) ? `{${value.join(',')}}` : String(value);
    return `'${text.replaceAll("'", "''")}'`;
  }
}

/**
 * On the driver's own connection, in the transaction that `database` may be: a mapping is somebody else's SQL, in which Knex would take a `?`
 * or a `:name` for a binding.
 */
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
