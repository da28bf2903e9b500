import type { Knex } from 'knex';
import { type DashboardMapping, isSelect } from '../../mapping/dashboard-mapping.js';
import { FACTS_PROCEDURE } from '../capture/capture-facts.js';
import { PREFIX } from '../capture/captured-tables.js';
import { queryRow } from '../read/query-rows.js';
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

/** Tables and views, as far as the text of the select shows. */
function readBy(select: string | null): readonly string[] {
  if (select === null) return [];
  const withNames = namedByWith(select);
  return [...tablesIn(select)].filter((table) => !withNames.has(table));
}

/** Statements for an administrator who may grant these rights. `user` is written as in SQL. */
export function grants(rights: Rights, database: string, user: string): readonly string[] {
  return Object.entries(rights).map(([object, those]) => {
    const kind = those.includes('execute') ? 'procedure ' : '';
    return `grant ${those.join(', ')} on ${kind}${name(database)}.${name(object)} to ${user}`;
  });
}

interface Account {
  /** As SQL writes it. */
  readonly user: string;
  readonly database: string;
}

export async function accountOf(database: Knex): Promise<Account> {
  const account = await queryRow<Account>(
    database,
    'select current_user() as user, database() as `database`',
  );
  const separator = account.user.lastIndexOf('@');
  return {
    ...account,
    user: `${name(account.user.slice(0, separator))}@${name(account.user.slice(separator + 1))}`,
  };
}
