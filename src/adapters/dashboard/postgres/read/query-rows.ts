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

/** Keys are in memory several times while they are read, because there are many. */
const KEYS_BYTES = 1024 * 1024;

/** The first rows of a query, at least one, whose `column` is not too large in total. */
export function limitedBySize(rows: string, column: string, order: string): string {
  return `
    select fitting.* from (
      select present.*, sum(octet_length(${column}))
        over (order by ${order} rows between unbounded preceding and 1 preceding) as bytes_before
      from (${rows}) as present
    ) as fitting
    where coalesce(bytes_before, 0) < ${KEYS_BYTES} order by ${order}`;
}

/** Rolled back, because the SQL of a mapping may call functions that write. */
export async function rolledBack<Result>(
  database: Knex,
  attempt: (transaction: Knex.Transaction) => Promise<Result>,
): Promise<Result> {
  const transaction = await database.transaction();
  try {
    await transaction.raw('set transaction read only');
    return await attempt(transaction);
  } finally {
    await transaction.rollback();
  }
}
