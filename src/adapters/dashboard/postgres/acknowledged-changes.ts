import type { Knex } from 'knex';

/** They are kept for some hours: see 0002_acknowledged_changes.sql. */
const KEPT_SECONDS = 6 * 60 * 60;

/** Has all that was acknowledged lately taken once more. Answers how many changes that are. */
export async function replayAcknowledged(database: Knex, seconds: number): Promise<number> {
  const { rows }: { rows: [{ replayed: string }] } = await database.raw(
    `select content_sync.replay_acknowledged(? * interval '1 second') as replayed`,
    [Math.min(seconds, KEPT_SECONDS)],
  );
  return Number(rows[0].replayed);
}
