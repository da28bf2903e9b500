import type { Knex } from 'knex';

/** The rows that a statement answers. Every value is text, or null. */
export async function ask<Row>(database: Knex, statement: string): Promise<readonly Row[]> {
  const answer: unknown = await database.raw(statement);
  return (answer as readonly [readonly Row[]])[0];
}

/** Of a statement that always answers one. */
export async function askOne<Row>(database: Knex, statement: string): Promise<Row> {
  const [row] = await ask<Row>(database, statement);
  if (row === undefined) throw new Error(`The dashboard's database answered no row to: ${statement}`);
  return row;
}
