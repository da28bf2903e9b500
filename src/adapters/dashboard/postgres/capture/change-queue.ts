import type { Knex } from 'knex';
import { type ChangeQueue, MAX_COUNTED_CHANGES } from '../../../../domain/model/capture.js';
import { QueuePosition, waiting } from './queue-position.js';

const CHANGE_QUEUE = `
  with changes as (${waiting('all', 'true', String(MAX_COUNTED_CHANGES + 1))})
  select count(*) as length, extract(epoch from clock_timestamp() - min(at))::float * 1000 as lag,
    pg_current_snapshot()::text as snapshot,
    (select transaction_id from changes order by transaction_id, id limit 1) as "transactionId",
    (select id - 1 from changes order by transaction_id, id limit 1) as "idBefore"
  from changes`;

/** A caller that polls passes the same position, so that each read skips what it saw. */
export async function changeQueue(
  database: Knex,
  position: QueuePosition = new QueuePosition(),
): Promise<ChangeQueue> {
  const { rows } = await database.transaction(async (transaction): Promise<{ rows: [QueueFacts] }> => {
    // Without statistics, the planner would read the whole table including its dead rows.
    await transaction.raw('set local enable_seqscan = off; set local enable_bitmapscan = off');
    return await transaction.raw(CHANGE_QUEUE, position.bindings('all'));
  });
  const [{ length, lag, snapshot, transactionId, idBefore }] = rows;
  position.moveTo(snapshot, transactionId === null ? null : { transactionId, id: String(idBefore) });
  return { length: Number(length), lagMs: lag === null ? null : Math.max(0, Math.round(lag)) };
}

interface QueueFacts {
  readonly length: string;
  readonly lag: number | null;
  readonly snapshot: string;
  /** The place before the first change; null: there is none. */
  readonly transactionId: string | null;
  readonly idBefore: string | null;
}

export async function isCaptureInstalled(database: Knex): Promise<boolean> {
  const { rows }: { rows: [{ found: boolean }] } = await database.raw(
    `select to_regclass('content_sync.acknowledged_changes') is not null as found`,
  );
  return rows[0].found;
}

/** The last waiting change; null: none. Look-ups come first: what they find has later ids. */
export async function newestChange(database: Knex): Promise<bigint | null> {
  await database.raw(
    'select content_sync.acknowledge(array(select id from content_sync.change_queue where lookup is not null))',
  );
  return idOf(await database.raw('select max(id) as id from content_sync.change_queue'));
}

/** From an id at most that of the oldest change, so that retained rows are not read again. */
export async function oldestChange(database: Knex, from: bigint): Promise<bigint | null> {
  return idOf(
    await database.raw('select min(id) as id from content_sync.change_queue where id >= ?', [String(from)]),
  );
}

function idOf({ rows }: { rows: [{ id: string | null }] }): bigint | null {
  return rows[0].id === null ? null : BigInt(rows[0].id);
}

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
