import type { Knex } from 'knex';
import type pg from 'pg';
import { SourceTooSlow } from '../../../../domain/errors.js';

type Stored = Readonly<Record<string, unknown>>;

const QUERY_CANCELED = '57014';
const INSUFFICIENT_PRIVILEGE = '42501';
const READ_ONLY = '25006';

/**
 * On the driver's own connection: Knex would take a `?` or `:name` of a mapping for a binding.
 * Throws SourceTooSlow if the server ends the statement at its time limit.
 */
export async function run<Row extends object = Stored>(
  database: Knex,
  statement: string,
  values: readonly unknown[] = [],
  prepared: { readonly name?: string } = {},
): Promise<pg.QueryResult<Row>> {
  const connection: pg.ClientBase = await database.client.acquireConnection();
  try {
    return await connection.query<Row>({ text: statement, values: [...values], ...prepared });
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    throw code === QUERY_CANCELED ? new SourceTooSlow(message, { cause: error }) : error;
  } finally {
    await database.client.releaseConnection(connection);
  }
}

export async function queryRows<Row extends object = Stored>(
  database: Knex,
  statement: string,
): Promise<readonly Row[]> {
  return (await run<Row>(database, statement)).rows;
}

/** What the server says, with its suggestion or the function that failed. */
export function reasonIn(error: Error): string {
  const { hint, where } = error as { hint?: string; where?: string };
  const detail = hint ?? where?.split('\n')[0];
  return detail === undefined ? error.message : `${error.message} (${detail})`;
}

export function isReadOnly(error: unknown): boolean {
  return (error as { code?: string }).code === READ_ONLY;
}

export function isDenied(error: unknown): boolean {
  return (error as { code?: string }).code === INSUFFICIENT_PRIVILEGE;
}
