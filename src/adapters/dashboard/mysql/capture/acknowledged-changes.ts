import type { Knex } from 'knex';
import { PREFIX } from './note-function.js';

const RETENTION_SECONDS = 6 * 60 * 60;
const MAX_DELETED = 10_000;
const MAX_REPLAYED = 10_000;
/** One acknowledgement in this many deletes the old ones. */
const CLEARED_EVERY = 100;
let acknowledgements = 0;

/**
 * Removes changes from the queue and keeps them for some hours. At this isolation level it locks no gap in which the dashboard inserts its
 * changes.
 */
export async function acknowledge(database: Knex, ids: readonly bigint[]): Promise<void> {
  if (ids.length === 0) return;
  const list = ids.join(', ');
  await database.transaction(
    async (transaction) => {
      await transaction.raw(`
        insert into ${PREFIX}acknowledged (id, kind, entity_key, acknowledged_at)
        select uuid_short(), kind, entity_key, now(6)
        from (select distinct kind, entity_key from ${PREFIX}changes where id in (${list})) as taken`);
      await transaction.raw(`delete from ${PREFIX}changes where id in (${list})`);
    },
    { isolationLevel: 'read committed' },
  );
  if (acknowledgements++ % CLEARED_EVERY > 0) return;
  await database.raw(`
    delete from ${PREFIX}acknowledged where acknowledged_at < now(6) - interval ${RETENTION_SECONDS} second
    order by acknowledged_at limit ${MAX_DELETED}`);
}

/** Puts recently acknowledged changes back into the queue, except those that are still waiting. Returns how many. */
export async function replayAcknowledged(database: Knex, seconds: number): Promise<number> {
  const since = `acknowledged_at >= now(6) - interval ${Math.ceil(Math.min(seconds, RETENTION_SECONDS))} second`;
  const lately = (kinds: string) => `(
    select kind, entity_key from ${PREFIX}acknowledged where ${kinds} and ${since} order by id desc limit ${MAX_REPLAYED})`;
  const reply: unknown = await database.raw(`
    insert into ${PREFIX}changes (id, kind, entity_key, at)
    select uuid_short(), lately.kind, lately.entity_key, now(6)
    from (${lately(`kind = 'api_keys'`)} union ${lately(`kind <> 'api_keys'`)}) as lately
    where not exists (
      select 1 from ${PREFIX}changes as waiting where waiting.kind = lately.kind and waiting.entity_key <=> lately.entity_key)`);
  return (reply as readonly [{ readonly affectedRows: number }])[0].affectedRows;
}
