import type { Knex } from 'knex';
import type { Snapshot, SourceDialect } from './source-dialect.js';

const ATTEMPTS = 5;

/**
 * Reads from one snapshot. The reads restart if the snapshot is outdated. If a row cannot be read, which is rare, they restart in a
 * snapshot that survives such failures.
 */
export async function inSnapshot<Seen>(
  database: Knex,
  dialect: Pick<SourceDialect, 'snapshotMode' | 'rejectionIn' | 'isSnapshotOutdated'>,
  see: (snapshot: Snapshot) => Promise<Seen>,
): Promise<Seen> {
  let outlivesFailures = false;
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.transaction(
        (snapshot) => see({ database: snapshot, outlivesFailures }),
        dialect.snapshotMode,
      );
    } catch (error) {
      const isOutdated = dialect.isSnapshotOutdated(error);
      const isFirstUnreadable = !isOutdated && !outlivesFailures && dialect.rejectionIn(error) !== null;
      if (isFirstUnreadable) outlivesFailures = true;
      if (!(isOutdated || isFirstUnreadable) || attempt === ATTEMPTS) throw error;
    }
  }
}
