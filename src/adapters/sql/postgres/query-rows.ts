import type { Knex } from 'knex';
import type pg from 'pg';
import { SourceTooSlow } from '../../../domain/errors.js';
import { means } from './fault-of.js';

type Stored = Readonly<Record<string, unknown>>;

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
    throw means(error, 'slow') ? new SourceTooSlow((error as Error).message, { cause: error }) : error;
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
