import type { Knex } from 'knex';
import type { SourceDialect } from './source-dialect.js';

const ATTEMPTS = 5;

/** Reads from one snapshot, and again if it is outdated. */
export async function inSnapshot<Seen>(
  database: Knex,
  dialect: Pick<SourceDialect, 'snapshotMode' | 'isSnapshotOutdated'>,
  see: (snapshot: Knex) => Promise<Seen>,
): Promise<Seen> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.transaction(see, dialect.snapshotMode);
    } catch (error) {
      if (!dialect.isSnapshotOutdated(error) || attempt === ATTEMPTS) throw error;
    }
  }
}
