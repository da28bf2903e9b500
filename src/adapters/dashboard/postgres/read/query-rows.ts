import type { Knex } from 'knex';
import type pg from 'pg';
import { SourceTooSlow } from '../../../../domain/errors.js';
import { isOutdated } from './prepared.js';

type Stored = Readonly<Record<string, unknown>>;

const QUERY_CANCELED = '57014';
const INSUFFICIENT_PRIVILEGE = '42501';

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

/**
 * Errors whose cause is not a row: connections (08), conflicts (40), resources (53), operators
 * (57), files (58), locks.
 */
const NOT_OF_A_ROW = /^(08|28|3D|40|53|57|58|55P03)/;
const SQLSTATE = /^[0-9A-Z]{5}$/;

/** Why the server rejected a statement. Null: the connection or the moment is the cause. */
export function rejectionIn(error: unknown): string | null {
  if (!(error instanceof Error && 'code' in error) || isOutdated(error)) return null;
  const code = String(error.code);
  if (!SQLSTATE.test(code) || NOT_OF_A_ROW.test(code)) return null;
  const { hint, where } = error as { hint?: string; where?: string };
  // A suggestion, for example of a column whose capitals need quotes; or the function that failed.
  const detail = hint ?? where?.split('\n')[0];
  return detail === undefined ? error.message : `${error.message} (${detail})`;
}

export function isDenied(error: unknown): boolean {
  return (error as { code?: string }).code === INSUFFICIENT_PRIVILEGE;
}
