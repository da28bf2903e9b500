import type { Knex } from 'knex';
import { SourceTooSlow } from '../../../domain/errors.js';
import { means } from './fault-of.js';

/** The rows of a statement. Every value is text, or null. */
export async function queryRows<Row>(database: Knex, statement: string): Promise<readonly Row[]> {
  const reply = await run(database, statement);
  return (reply as readonly [readonly Row[]])[0];
}

/** The row of a statement that always returns one. */
export async function queryRow<Row>(database: Knex, statement: string): Promise<Row> {
  const [row] = await queryRows<Row>(database, statement);
  if (row === undefined) throw new Error(`The dashboard's database returned no row for: ${statement}`);
  return row;
}

/** Throws SourceTooSlow if the server ends the statement at its time limit. */
export async function run(database: Knex, statement: string): Promise<unknown> {
  try {
    return await database.raw(statement);
  } catch (error) {
    if (!means(error, 'slow')) throw error;
    throw new SourceTooSlow(
      `${(error as Error).message}. Statements of the sync worker have a time limit of 8 s, and of 1 s after one that exceeds it. Use EXPLAIN to find the missing index, or change the select of the mapping so that it reads less`,
      { cause: error },
    );
  }
}
