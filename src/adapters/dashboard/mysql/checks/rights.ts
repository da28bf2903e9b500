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

const DENIED = [
  'ER_TABLEACCESS_DENIED_ERROR',
  'ER_COLUMNACCESS_DENIED_ERROR',
  'ER_PROCACCESS_DENIED_ERROR',
  'ER_DBACCESS_DENIED_ERROR',
];

/** Statements that need a right and change nothing. */
const TRIALS: Readonly<Record<Right, (object: string) => string>> = {
  select: (object) => `select 1 from ${object} limit 0`,
  insert: (object) => `explain insert into ${object} () values ()`,
  update: (object) => `explain update ${object} set id = id where false`,
  delete: (object) => `explain delete from ${object} where false`,
  execute: (object) => `call ${object}()`,
};

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

type Outcome = 'granted' | 'denied' | 'unknown';

/**
 * Which of these rights the user has. They are tried: rights also come from roles and wildcards.
 */
export async function triedRights(
  database: Knex,
  rights: Rights,
  wanted: 'granted' | 'denied',
): Promise<Rights> {
  const missingRights: Record<string, readonly Right[]> = {};
  for (const [object, those] of Object.entries(rights)) {
    const outcomes: Outcome[] = [];
    for (const right of those) outcomes.push(await outcomeOf(database, TRIALS[right](name(object))));
    const meant = those.filter((_, index) => outcomes[index] === wanted);
    if (meant.length > 0) missingRights[object] = meant;
  }
  return missingRights;
}

/** Other checks report failures for other reasons, such as a missing table. */
async function outcomeOf(database: Knex, trial: string): Promise<Outcome> {
  try {
    await database.raw(trial);
    return 'granted';
  } catch (error) {
    return DENIED.includes((error as { code?: string }).code ?? '') ? 'denied' : 'unknown';
  }
}
