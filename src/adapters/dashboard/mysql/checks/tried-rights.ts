import type { Knex } from 'knex';
import { queryRow } from '../read/query-rows.js';
import { name } from '../read/quoted.js';
import type { Right, Rights } from './worker-rights.js';

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

export interface Account {
  /** As SQL writes it. */
  readonly user: string;
  readonly database: string;
}

export async function accountOf(database: Knex): Promise<Account> {
  const account = await queryRow<Account>(
    database,
    'select current_user() as user, database() as `database`',
  );
  const at = account.user.lastIndexOf('@');
  return { ...account, user: `${name(account.user.slice(0, at))}@${name(account.user.slice(at + 1))}` };
}

type Outcome = 'granted' | 'denied' | 'unknown';

/**
 * Which of these rights the user of this connection has. Each right is tried, because rights also come from roles, wildcards and single
 * columns.
 */
export async function triedRights(
  database: Knex,
  rights: Rights,
  wanted: 'granted' | 'denied',
): Promise<Rights> {
  const found: Record<string, readonly Right[]> = {};
  for (const [object, those] of Object.entries(rights)) {
    const outcomes: Outcome[] = [];
    for (const right of those) outcomes.push(await outcomeOf(database, TRIALS[right](name(object))));
    const meant = those.filter((_, at) => outcomes[at] === wanted);
    if (meant.length > 0) found[object] = meant;
  }
  return found;
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
