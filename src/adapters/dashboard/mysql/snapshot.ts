import type { Knex } from 'knex';

const ATTEMPTS = 5;
const TABLE_CHANGED = 'ER_TABLE_DEF_CHANGED';

/**
 * Reads of one moment: that of the first of them. They begin again where a table was made, truncated or rewritten after it. What InnoDB shows
 * of such a table is an error, and never rows that are missing.
 */
export async function inSnapshot<Seen>(
  database: Knex,
  see: (snapshot: Knex) => Promise<Seen>,
): Promise<Seen> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.transaction(see, { isolationLevel: 'repeatable read' });
    } catch (error) {
      if ((error as { code?: string }).code !== TABLE_CHANGED || attempt === ATTEMPTS) throw error;
    }
  }
}
