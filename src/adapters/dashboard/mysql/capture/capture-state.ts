import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { CaptureLook } from '../../../../domain/model/capture.js';
import { type DashboardMapping, digestOf } from '../../mapping/dashboard-mapping.js';
import { queryRow } from '../read/query-rows.js';
import { wantedTriggers } from './capture.js';
import { type CaptureFacts, type ExistingTrigger, installedFacts } from './capture-facts.js';
import type { CaptureTrigger } from './capture-triggers.js';
import { type Captures, capturesOf, isNoteFunction } from './captured-tables.js';

/** A younger object may be recreated within the same second, which nothing would show. */
const SETTLED_AFTER_SECONDS = 3;

/** The state of the change capture in the dictionary. `unreadable`: what of the mapping is. */
export async function captureState(
  database: Knex,
  mapping: DashboardMapping,
  unreadable: readonly string[],
): Promise<CaptureLook> {
  const captures = capturesOf(mapping);
  const digest = digestOf(mapping);
  const facts = await installedFacts(database);
  const { now } = await queryRow<{ now: string }>(
    database,
    `select date_format(now(), '%Y-%m-%d %T') as now`,
  );
  const broken = [...brokenCaptures(mapping, facts), ...unreadable];
  if (facts.mapping !== digest)
    broken.push('it was installed for another mapping than that of DASHBOARD_MAPPING');
  return { broken, seen: { ...seenTables(captures, facts, now), mapping: digest } };
}

function brokenCaptures(mapping: DashboardMapping, facts: CaptureFacts): string[] {
  const captures = capturesOf(mapping);
  const tables = new Set(facts.tables.map(({ table }) => table));
  return [
    ...Object.keys(captures)
      .filter((table) => !tables.has(table))
      .map((table) => `${table} is missing`),
    ...facts.tables
      .filter(({ table, engine }) => table in captures && engine !== 'InnoDB')
      .map(
        ({ table, engine }) =>
          `${table} has the engine ${engine}, but only InnoDB has consistent snapshots of all tables`,
      ),
    ...(isNoteFunction(facts.noteFunction)
      ? []
      : ['the function that all triggers call is missing or was changed']),
    ...wantedTriggers(mapping, facts).flatMap((trigger) => brokenIn(trigger, facts.triggers)),
  ];
}

function seenTables(captures: Captures, facts: CaptureFacts, now: string): Readonly<Record<string, string>> {
  const storage = new Map<string, string>();
  // A partitioned table has several ids.
  for (const { table, id } of facts.storage ?? []) storage.set(table, `${storage.get(table) ?? ''} ${id}`);
  const seen = Object.keys(captures).map((table) => {
    const triggers = facts.triggers.filter((trigger) => trigger.table === table);
    const columns = facts.columns.filter((column) => column.table === table);
    const madeAt = facts.tables.find((fact) => fact.table === table)?.madeAt ?? '';
    const identity = [
      storage.get(table) ?? settled(madeAt, now),
      ...triggers.map(({ name, createdAt }) => `${name} ${createdAt}`),
      ...columns.map(({ column, type }) => `${column} ${type}`),
    ];
    return [table, shortHash(identity.join('\n'))] as const;
  });
  return Object.fromEntries(seen);
}

function brokenIn(wanted: CaptureTrigger, triggers: readonly ExistingTrigger[]): readonly string[] {
  const existing = triggers.find(({ name, table }) => name === wanted.name && table === wanted.table);
  if (existing?.body === wanted.body) return [];
  return [
    `${wanted.table}: the trigger ${wanted.moment} ${wanted.name} ${existing ? 'was changed' : 'is missing'}`,
  ];
}

/** The dictionary has whole seconds only. */
function settled(madeAt: string, now: string): string {
  const age = (Date.parse(`${now}Z`) - Date.parse(`${madeAt}Z`)) / 1_000;
  return age > SETTLED_AFTER_SECONDS ? madeAt : `${madeAt} ${now}`;
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
