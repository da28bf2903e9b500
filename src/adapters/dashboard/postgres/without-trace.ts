import type { Knex } from 'knex';

/** For a mapping's SQL that is only tried: it may call functions that write, and settings of the attempt end with it. */
export async function withoutTrace<Result>(
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
