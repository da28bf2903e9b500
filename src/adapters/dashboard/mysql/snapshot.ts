import type { Knex } from 'knex';

const ATTEMPTS = 5;
const TABLE_CHANGED = 'ER_TABLE_DEF_CHANGED';

/**
 * Reads from one snapshot, which begins with the first read. The reads restart if a table was created, truncated or rewritten after that.
 * InnoDB reports an error for such a table; it never just returns no rows.
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
