import type { Knex } from 'knex';

/** Acknowledged changes are kept for some hours: see 0001_change_capture.sql. */
const RETENTION_SECONDS = 6 * 60 * 60;

/** Puts recently acknowledged changes back into the queue. Returns how many. */
export async function replayAcknowledged(database: Knex, seconds: number): Promise<number> {
  const { rows }: { rows: [{ replayed: string }] } = await database.raw(
    `select content_sync.replay_acknowledged(? * interval '1 second') as replayed`,
    [Math.min(seconds, RETENTION_SECONDS)],
  );
  return Number(rows[0].replayed);
}
