import type { Knex } from 'knex';

/** Tries the SQL of a mapping and rolls it back: it may call functions that write, and settings of the attempt end with it. */
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
