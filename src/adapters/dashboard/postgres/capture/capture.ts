import type { Knex } from 'knex';
import { means } from '../../../sql/postgres/fault-of.js';
import { run } from '../../../sql/postgres/query-rows.js';
import { type DashboardMapping, digestOf } from '../../mapping/dashboard-mapping.js';
import type { Installed } from '../../source/engine.js';
import { retryWhileLocked } from '../../source/table-locked.js';
import { quoted } from '../read/quoted.js';
import {
  type CapturedRelation,
  capturedRelations,
  installedFor,
  installedFunctions,
} from './capture-facts.js';
import { brokenTriggers } from './capture-state.js';
import { captureFunctionOf, captureFunctions, captureTriggers, createTrigger } from './capture-triggers.js';

/** The queue and its functions. The triggers follow from the mapping. */
export const CAPTURE_MIGRATIONS = {
  directory: new URL('../../../../../db/dashboard/capture/', import.meta.url),
  schema: 'content_sync',
  table: 'migrations',
};

/** Writers queue behind the requested lock, and go first after this time. */
const BRIEFLY = `set local lock_timeout = '500ms'`;
const READ_EVERYTHING_AGAIN = `insert into content_sync.change_queue (kind) values ('everything')`;

/** Installs what is missing, disabled or different; everything is read again then. */
export async function installCapture(database: Knex, mapping: DashboardMapping): Promise<Installed> {
  return database.transaction(async (lock) => {
    await lock.raw('set local idle_in_transaction_session_timeout = 0');
    // If two runs overlap, the second one finds everything in place.
    await lock.raw(`select pg_advisory_xact_lock(hashtextextended('content_sync.capture', 0))`);
    const functions = await ensureFunctions(database, mapping);
    let triggers = 0;
    const relations = await capturedRelations(database, mapping);
    for (const relation of relations) {
      const broken = brokenTriggers(relation, mapping);
      if (relation.isForeign || broken.length === 0) continue;
      const statements = [BRIEFLY, ...broken.flatMap((trigger) => createTrigger(relation.quoted, trigger))];
      // All triggers of one table, never of two: that could deadlock with a writer of both.
      await runWhenFree(relation.quoted, () => inOneTransaction(database, statements));
      triggers += broken.length;
    }
    await dropLeftovers(database, mapping, relations);
    const isOther = await noteMapping(database, digestOf(mapping));
    return { triggers, hasOthers: functions > 0 || isOther };
  });
}

async function ensureFunctions(database: Knex, mapping: DashboardMapping): Promise<number> {
  const { missing } = await installedFunctions(database, mapping);
  for (const one of missing) {
    const revoke = `revoke all on function content_sync.${quoted(one.name)} from public`;
    await inOneTransaction(database, [one.statement, revoke]);
  }
  return missing.length;
}

function inOneTransaction(database: Knex, statements: readonly string[]): Promise<void> {
  return database.transaction(async (transaction) => {
    for (const statement of [...statements, READ_EVERYTHING_AGAIN]) await run(transaction, statement);
  });
}

/** Drops what belongs to another mapping or version, once its replacement is there. */
async function dropLeftovers(
  database: Knex,
  mapping: DashboardMapping,
  relations: readonly CapturedRelation[],
): Promise<void> {
  const names = captureFunctions(mapping).map(({ name }) => name);
  const tables = relations.map((relation) => relation.quoted);
  await dropTriggers(
    database,
    'proname <> all (:names::text[]) or tgrelid <> all (array(select to_regclass(name) from unnest(:tables::text[]) as name)::oid[])',
    { names, tables },
  );
  const { rows: unused }: { rows: { name: string }[] } = await database.raw(
    `select quote_ident(proname) as name from pg_proc
     where pronamespace = 'content_sync'::regnamespace and proname <> all (:names::text[])`,
    { names },
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

/** Returns whether another mapping was noted before. */
async function noteMapping(database: Knex, digest: string): Promise<boolean> {
  if ((await installedFor(database)) === digest) return false;
  const comment = `blog-read-api: the change capture of the mapping ${digest}`;
  await inOneTransaction(database, [`comment on schema content_sync is '${comment}'`]);
  return true;
}

export async function removeCapture(database: Knex): Promise<void> {
  await dropTriggers(database, 'true');
  await dropWithRetries(database, 'content_sync', 'schema if exists content_sync cascade');
}

function runWhenFree(table: string, attempt: () => Promise<unknown>): Promise<void> {
  return retryWhileLocked(table, (error) => means(error, 'locked'), attempt);
}

async function dropWithRetries(database: Knex, locked: string, what: string): Promise<void> {
  await runWhenFree(locked, () =>
    database.transaction(async (transaction) => {
      for (const statement of [BRIEFLY, `drop ${what}`]) await run(transaction, statement);
    }),
  );
}

/** The statements that create the capture's functions and triggers. */
export async function explainCapture(database: Knex, mapping: DashboardMapping): Promise<readonly string[]> {
  const relations = await capturedRelations(database, mapping);
  return mapping.captures.flatMap((captured, index) => {
    const called = captureFunctionOf(captured);
    if (called === null) return [];
    const tables = relations.filter((relation) => relation.captured === index);
    const triggers = tables.flatMap(({ quoted: table }) =>
      captureTriggers(table, called).flatMap((trigger) => createTrigger(table, trigger)),
    );
    return [called.statement, ...triggers];
  });
}
