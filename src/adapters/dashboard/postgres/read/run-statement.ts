import type { Knex } from 'knex';
import type pg from 'pg';

type Stored = Readonly<Record<string, unknown>>;

/** The values of a composed statement. Each gets a placeholder: `$1`, `$2` … */
export class Values {
  readonly list: unknown[] = [];

  add(value: unknown): string {
    return `$${this.list.push(value)}`;
  }
}

/** For a statement that is only planned: the values are written into it and not sent separately. */
export class WrittenValues extends Values {
  override add(value: unknown): string {
    const text = Array.isArray(value) ? `{${value.join(',')}}` : String(value);
    return `'${text.replaceAll("'", "''")}'`;
  }
}

/**
 * Runs on the driver's own connection, within the transaction that `database` may be. A mapping contains SQL of others, in which Knex
 * would take a `?` or a `:name` for a binding.
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
