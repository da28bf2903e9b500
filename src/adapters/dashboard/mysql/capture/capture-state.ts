import type { Knex } from 'knex';
import type { CaptureLook } from '../../../../domain/model/capture.js';
import {
  type Captures,
  capturesOf,
  type DashboardMapping,
  shortHash,
} from '../../mapping/dashboard-mapping.js';
import { type CaptureFacts, engineProblem, installedFacts } from './capture-facts.js';
import { captureTriggers, isSame } from './capture-triggers.js';
import { isNoteFunction } from './note-function.js';

/** The state of the change capture in the dictionary. */
export async function captureState(database: Knex, mapping: DashboardMapping): Promise<CaptureLook> {
  const captures = capturesOf(mapping);
  const facts = await installedFacts(database);
  const tables = new Set(facts.tables.map(({ table }) => table));
  return {
    broken: [
      ...Object.keys(captures)
        .filter((table) => !tables.has(table))
        .map((table) => `${table} is missing`),
      ...facts.tables.flatMap((fact) => {
        const problem = fact.table in captures ? engineProblem(fact) : null;
        return problem === null ? [] : [`${fact.table} ${problem}`];
      }),
      ...(isNoteFunction(facts.noteFunction)
        ? []
        : ['the function that all triggers call is missing or was changed']),
      ...captureTriggers(mapping, facts)
        .filter((wanted) => !facts.triggers.some((existing) => isSame(wanted, existing)))
        .map(
          ({ table, moment, name }) => `${table}: the trigger ${moment} ${name} is missing or was changed`,
        ),
    ],
    seen: seenTables(captures, facts),
  };
}

function seenTables(captures: Captures, facts: CaptureFacts): Readonly<Record<string, string>> {
  const storage = new Map<string, string>();
  // A partitioned table has several ids.
  for (const { table, id } of facts.storage ?? []) storage.set(table, `${storage.get(table) ?? ''} ${id}`);
  const seen = Object.keys(captures).map((table) => {
    const triggers = facts.triggers.filter((trigger) => trigger.table === table);
    const columns = facts.columns.filter((column) => column.table === table);
    const madeAt = facts.tables.find((fact) => fact.table === table)?.madeAt ?? '';
    const identity = [
      storage.get(table) ?? '',
      // InnoDB drops and adds columns, and changes their expressions, without another id.
      madeAt,
      ...triggers.map(({ name, createdAt }) => `${name} ${createdAt}`),
      ...columns.map(({ column, type }) => `${column} ${type}`),
    ];
    return [table, shortHash(identity.join('\n'))] as const;
  });
  return Object.fromEntries(seen);
}
