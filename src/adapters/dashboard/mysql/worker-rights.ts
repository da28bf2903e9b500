import { isSelect } from '../mapping/dashboard-mapping.js';
import { type CaptureFacts, FACTS_PROCEDURE } from './capture-facts.js';
import type { Captures } from './captured-tables.js';
import { PREFIX } from './note-function.js';
import { name } from './quoted.js';
import { tablesIn } from './tables-in.js';

const READ = ['select'];
const OWN_TABLES: Readonly<Record<string, readonly string[]>> = {
  [`${PREFIX}identity`]: READ,
  [`${PREFIX}changes`]: ['select', 'insert', 'delete'],
  [`${PREFIX}acknowledged`]: ['select', 'insert', 'delete'],
};

/** What the worker's user needs on tables, beside views that the mapping names. */
export function workerRights(
  captures: Captures,
  { tables }: CaptureFacts,
): Readonly<Record<string, readonly string[]>> {
  const lookedUpIn = Object.values(captures)
    .flatMap((touches) => (touches === 'everything' ? [] : Object.values(touches)))
    .filter(isSelect)
    .flatMap((key) => [...tablesIn(key)])
    .filter((read) => tables.some(({ table }) => table === read));
  const read = new Set([...Object.keys(captures), ...lookedUpIn]);
  return { ...OWN_TABLES, ...Object.fromEntries([...read].map((table) => [table, READ])) };
}

export function grants(rights: ReturnType<typeof workerRights>): readonly string[] {
  return [
    `-- What the sync worker's user needs, beside select on the views that the mapping names:\ngrant execute on procedure ${FACTS_PROCEDURE} to …`,
    ...Object.entries(rights).map(([table, those]) => `grant ${those.join(', ')} on ${name(table)} to …`),
  ];
}
