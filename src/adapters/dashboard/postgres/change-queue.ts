import type { Knex } from 'knex';
import { QueuePosition, waiting } from './queue-position.js';

/** The change queue as operators see it. */
export interface ChangeQueue {
  readonly length: number;
  /** How long the oldest change has been waiting; null: none waits. */
  readonly lagMs: number | null;
}

const CHANGE_QUEUE = `
  with changes as (${waiting('all')})
  select count(*) as length, extract(epoch from clock_timestamp() - min(at))::float * 1000 as lag,
    pg_current_snapshot()::text as snapshot,
    (select transaction_id from changes order by transaction_id, id limit 1) as "transactionId",
    (select id - 1 from changes order by transaction_id, id limit 1) as "idBefore"
  from changes`;

/** Whoever asks again and again gives the same position each time, and is answered without a look at all that was there before. */
export async function changeQueue(
  database: Knex,
  position: QueuePosition = new QueuePosition(),
): Promise<ChangeQueue> {
  const { rows } = await database.transaction(async (transaction): Promise<{ rows: [QueueFacts] }> => {
    // Without a limit the planner takes to reading the whole table, and what is dead in it.
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

/** The last change that is waiting; null: none is. What is to be looked up is found before: what is found has a later id. */
export async function newestChange(database: Knex): Promise<bigint | null> {
  await database.raw(
    'select content_sync.acknowledge(array(select id from content_sync.change_queue where lookup is not null))',
  );
  return idOf(await database.raw('select max(id) as id from content_sync.change_queue'));
}

/** From an id on that is known to be not above it: what an old snapshot keeps of the changes before need not be looked at again. */
export async function oldestChange(database: Knex, from: bigint): Promise<bigint | null> {
  return idOf(
    await database.raw('select min(id) as id from content_sync.change_queue where id >= ?', [String(from)]),
  );
}

function idOf({ rows }: { rows: [{ id: string | null }] }): bigint | null {
  return rows[0].id === null ? null : BigInt(rows[0].id);
}
