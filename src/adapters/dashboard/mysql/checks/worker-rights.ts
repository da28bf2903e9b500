import { type DashboardMapping, isSelect } from '../../mapping/dashboard-mapping.js';
import { FACTS_PROCEDURE } from '../capture/capture-facts.js';
import { PREFIX } from '../capture/note-function.js';
import { name } from '../read/quoted.js';
import { namedByWith, tablesIn } from './tables-in.js';

export type Right = 'select' | 'insert' | 'update' | 'delete' | 'execute';
/** The rights that a user needs, by table or view. `execute` is for the one procedure. */
export type Rights = Readonly<Record<string, readonly Right[]>>;

const READ: readonly Right[] = ['select'];
const OWN: Rights = {
  [`${PREFIX}identity`]: READ,
  [`${PREFIX}changes`]: ['select', 'insert', 'delete'],
  [`${PREFIX}acknowledged`]: ['select', 'insert', 'delete'],
  [FACTS_PROCEDURE]: ['execute'],
};

/** What the worker's user needs. */
export function workerRights({ selects, captures }: DashboardMapping): Rights {
  const keys = captures.flatMap(({ touches }) => (touches === 'everything' ? [] : Object.values(touches)));
  const read = [...Object.values(selects), ...keys.filter(isSelect)].flatMap(readBy);
  const tables = new Set([...captures.map(({ table }) => table), ...read]);
  return { ...Object.fromEntries([...tables].map((table) => [table, READ])), ...OWN };
}

/** What the user of `keys` needs if this table has the keys. */
export function keyManagerRights({ selects }: DashboardMapping, tableOfKeys: string): Rights {
  const known = readBy(selects.organizations ?? selects.websites);
  const readable = Object.fromEntries(known.map((table) => [table, READ]));
  return { ...readable, [tableOfKeys]: ['select', 'insert', 'update'] };
}

/** Tables and views, as far as the text of the select shows. */
function readBy(select: string | null): readonly string[] {
  if (select === null) return [];
  const own = namedByWith(select);
  return [...tablesIn(select)].filter((table) => !own.has(table));
}

/** Statements for an administrator who may grant these rights. `user` is written as in SQL. */
export function grants(rights: Rights, database: string, user: string): readonly string[] {
  return Object.entries(rights).map(([object, those]) => {
    const kind = those.includes('execute') ? 'procedure ' : '';
    return `grant ${those.join(', ')} on ${kind}${name(database)}.${name(object)} to ${user}`;
  });
}
