import type { Knex } from 'knex';
import { type ChangeQueue, MAX_COUNTED_CHANGES } from '../../../../domain/model/capture.js';
import { queryRow, queryRows } from '../read/query-rows.js';

/** The prefix of everything that the change capture creates in the dashboard's database. */
export const PREFIX = 'content_sync_';
const FUNCTION = `${PREFIX}note`;

/** Its behaviour never changes: another one gets another name, so no trigger lacks its function. */
const BODY = `begin
    if entity_key is not null or kind = 'everything' then
      insert into ${PREFIX}changes (id, kind, entity_key, at) values (uuid_short(), kind, entity_key, utc_timestamp(6));
    end if;
    return 1;
  end`;

/**
 * Triggers write to the queue through this function: MariaDB would refuse writers under LOCK TABLES
 * (error 1442) if several did so directly. `deterministic`, because a binary log refuses others
 * (error 1418).
 */
export const CREATE_NOTE_FUNCTION = `create function ${FUNCTION}(
    kind varchar(20) character set ascii, entity_key varchar(1000) character set utf8mb4 collate utf8mb4_bin
  ) returns tinyint deterministic modifies sql data sql security definer ${BODY}`;

/** An expression that notes a change. `do` would swallow its errors. */
export function noting(kind: string, key: string): string {
  return `${FUNCTION}('${kind}', ${key})`;
}

export const NOTING_EVERYTHING = noting('everything', 'null');

/** Its body as the dictionary shows it. */
export const NOTE_FUNCTION_FACTS = `select routine_definition as body from information_schema.routines
  where routine_schema = database() and routine_name = '${FUNCTION}'`;

export interface ExistingRoutine {
  readonly body: string;
}

export function isNoteFunction(existing: ExistingRoutine | undefined): boolean {
  return existing?.body === BODY;
}

/** Returns whether it was missing. */
export async function makeNoteFunction(database: Knex): Promise<boolean> {
  const [existing] = await queryRows<ExistingRoutine>(database, NOTE_FUNCTION_FACTS);
  if (isNoteFunction(existing)) return false;
  await dropNoteFunction(database);
  await database.raw(CREATE_NOTE_FUNCTION);
  return true;
}

export async function dropNoteFunction(database: Knex): Promise<void> {
  await database.raw(`drop function if exists ${FUNCTION}`);
}

export async function changeQueue(database: Knex): Promise<ChangeQueue> {
  const { length, lag } = await queryRow<{ length: string; lag: string | null }>(
    database,
    `select count(*) as length, timestampdiff(microsecond, min(at), sysdate(6)) as lag
     from (select at from ${PREFIX}changes order by id limit ${MAX_COUNTED_CHANGES + 1}) as oldest`,
  );
  return {
    length: Number(length),
    lagMs: lag === null ? null : Math.max(0, Math.round(Number(lag) / 1_000)),
  };
}

export async function isCaptureInstalled(database: Knex): Promise<boolean> {
  const rows = await queryRows(
    database,
    `select 1 from information_schema.tables where table_schema = database() and table_name = '${PREFIX}changes'`,
  );
  return rows.length > 0;
}

/** The last waiting change; null: there is none. */
export async function newestChange(database: Knex): Promise<bigint | null> {
  return idOf(database, `select max(id) as id from ${PREFIX}changes`);
}

export async function oldestChange(database: Knex, from: bigint): Promise<bigint | null> {
  return idOf(database, `select min(id) as id from ${PREFIX}changes where id >= ${from}`);
}

async function idOf(database: Knex, statement: string): Promise<bigint | null> {
  const { id } = await queryRow<{ id: string | null }>(database, statement);
  return id === null ? null : BigInt(id);
}

const RETENTION_SECONDS = 6 * 60 * 60;
const MAX_DELETED = 10_000;
const MAX_REPLAYED = 10_000;
/** One acknowledgement in this many deletes the old ones. */
const CLEARED_EVERY = 100;
let acknowledgements = 0;

/** Moves changes from the queue to a history, at a level that locks no gap of the dashboard. */
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

/** Puts acknowledged changes back into the queue, unless they wait. Returns how many. */
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
