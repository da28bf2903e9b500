import type { Knex } from 'knex';
import type { Installed } from '../../source/mapped-dashboard.js';
import { retryWhileLocked } from '../../source/table-locked.js';
import { runStatement } from '../read/query-rows.js';
import { quoted } from '../read/quoted.js';
import { functionsOf, installedFor } from './capture-state.js';
import {
  type CapturedMapping,
  capturedRelations,
  installedComment,
  type RelationState,
} from './captured-tables.js';
import { LOOK_UP } from './lookups.js';

/** Writers queue behind the requested lock, and go first after this time. */
const LOCK_TIMEOUT = '500ms';
const READ_EVERYTHING_AGAIN = `insert into content_sync.change_queue (kind) values ('everything')`;

/** Installs what is missing, disabled or different; everything is read again then. */
export async function installCapture(database: Knex, captured: CapturedMapping): Promise<Installed> {
  return database.transaction(async (lock) => {
    await lock.raw('set local idle_in_transaction_session_timeout = 0');
    // If two runs overlap, the second one finds everything in place.
    await lock.raw(`select pg_advisory_xact_lock(hashtextextended('content_sync.capture', 0))`);
    const functions = await ensureFunctions(database, captured);
    let triggers = 0;
    const relations = await capturedRelations(database, captured);
    for (const relation of relations) {
      if (relation.isForeign || relation.triggers.length === 0) continue;
      await retryWhileLocked(relation.quoted, () => putTriggers(database, relation));
      triggers += relation.triggers.length;
    }
    await dropLeftovers(database, captured, relations);
    const isOther = await noteMapping(database, captured.digest);
    return { triggers, hasOthers: functions > 0 || isOther };
  });
}

async function ensureFunctions(database: Knex, { functions }: CapturedMapping): Promise<number> {
  const definitions = await functionsOf(database, functions);
  const changedFunctions = functions.filter(
    ({ name, body }) => !definitions.some((one) => one.name === name && one.body === body && one.runsAsOwner),
  );
  for (const { statement, name } of changedFunctions) {
    await database.transaction(async (transaction) => {
      await runStatement(transaction, statement);
      await runStatement(transaction, `revoke all on function content_sync.${quoted(name)} from public`);
      await transaction.raw(READ_EVERYTHING_AGAIN);
    });
  }
  return changedFunctions.length;
}

/** All triggers of one table, never of two: that could deadlock with a writer of both. */
function putTriggers(database: Knex, relation: RelationState): Promise<void> {
  return database.transaction(async (transaction) => {
    await transaction.raw(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
    for (const statement of triggerStatements(relation)) await runStatement(transaction, statement);
    await transaction.raw(READ_EVERYTHING_AGAIN);
  });
}

/** Drops what belongs to another mapping or version, once its replacement is there. */
async function dropLeftovers(
  database: Knex,
  { functions }: CapturedMapping,
  relations: readonly RelationState[],
): Promise<void> {
  const names = functions.map(({ name }) => name);
  const tables = relations.map((relation) => relation.quoted);
  await dropTriggers(
    database,
    'proname <> all (:names::text[]) or tgrelid <> all (array(select to_regclass(name) from unnest(:tables::text[]) as name)::oid[])',
    { names, tables },
  );
  const { rows: unused }: { rows: { name: string }[] } = await database.raw(
    `select quote_ident(proname) as name from pg_proc
     where pronamespace = 'content_sync'::regnamespace and proname <> all (:names::text[])
       and (prorettype = 'trigger'::regtype or starts_with(proname, :lookUp))`,
    { names, lookUp: `${LOOK_UP} ` },
  );
  for (const { name } of unused) {
    await dropWithRetries(database, 'content_sync', `function if exists content_sync.${name}`);
  }
}

/** One at a time, so that no two tables are locked at once. */
async function dropTriggers(
  database: Knex,
  condition: string,
  values: Readonly<Record<string, readonly string[]>> = {},
): Promise<void> {
  const { rows }: { rows: { name: string; table: string }[] } = await database.raw(
    `select quote_ident(tgname) as name, tgrelid::regclass::text as table
     from pg_trigger join pg_proc on pg_proc.oid = tgfoid
     where pronamespace = to_regnamespace('content_sync') and (${condition}) order by 2, 1`,
    values as Readonly<Record<string, string[]>>,
  );
  for (const { name, table } of rows) await dropWithRetries(database, table, `trigger ${name} on ${table}`);
}

/** Returns whether it was another one. */
async function noteMapping(database: Knex, digest: string): Promise<boolean> {
  const comment = installedComment(digest);
  if ((await installedFor(database)) === comment) return false;
  await database.transaction(async (transaction) => {
    await runStatement(transaction, `comment on schema content_sync is '${comment}'`);
    await transaction.raw(READ_EVERYTHING_AGAIN);
  });
  return true;
}

export async function removeCapture(database: Knex): Promise<void> {
  await dropTriggers(database, 'true');
  await dropWithRetries(database, 'content_sync', 'schema if exists content_sync cascade');
}

async function dropWithRetries(database: Knex, locked: string, what: string): Promise<void> {
  await retryWhileLocked(locked, () =>
    database.transaction(async (transaction) => {
      await transaction.raw(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
      await runStatement(transaction, `drop ${what}`);
    }),
  );
}

/** The statements that create the capture's functions and triggers. */
export async function explainCapture(database: Knex, captured: CapturedMapping): Promise<readonly string[]> {
  const relations = await capturedRelations(database, captured);
  return [...captured.functions.map(({ statement }) => statement), ...relations.flatMap(triggerStatements)];
}

function triggerStatements({ triggers, quoted }: RelationState): readonly string[] {
  return triggers.flatMap(({ name, definition }) => [
    `create or replace ${definition}`,
    // Also fires for a restore, which sets `session_replication_role` to `replica`.
    `alter table ${quoted} enable always trigger ${name}`,
  ]);
}
