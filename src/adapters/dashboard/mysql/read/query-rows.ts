import type { Knex } from 'knex';
import { type Fault, SourceTooSlow } from '../../../../domain/errors.js';
import { literal } from './quoted.js';

/** The error number of MariaDB, for which the driver has no name, and that of MySQL. */
const TIME_IS_OVER = [1969, 3024];

/** The rows of a statement. Every value is text, or null. */
export async function queryRows<Row>(database: Knex, statement: string): Promise<readonly Row[]> {
  const reply = await run(database, statement);
  return (reply as readonly [readonly Row[]])[0];
}

/** The row of a statement that always returns one. */
export async function queryRow<Row>(database: Knex, statement: string): Promise<Row> {
  const [row] = await queryRows<Row>(database, statement);
  if (row === undefined) throw new Error(`The dashboard's database returned no row for: ${statement}`);
  return row;
}

/** Not MySQL, whose dictionary is elsewhere. `version`: as the server tells it. */
export function isMariaDb(version: string): boolean {
  return version.includes('MariaDB');
}

/** Of these tables, those that the database has and its user may see. */
export async function existingTables(database: Knex, tables: readonly string[]): Promise<readonly string[]> {
  const names = tables.map(literal).join(', ');
  const rows = await queryRows<{ name: string }>(
    database,
    `select table_name as name from information_schema.tables where table_schema = database() and table_name in (${names}) order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Throws SourceTooSlow if the server ends the statement at its time limit. */
export async function run(database: Knex, statement: string): Promise<unknown> {
  try {
    return await database.raw(statement);
  } catch (error) {
    const { errno = 0, message } = error as { errno?: number; message: string };
    if (!TIME_IS_OVER.includes(errno)) throw error;
    throw new SourceTooSlow(
      `${message}. Statements of the sync worker have a time limit of 9 s. Use EXPLAIN to find the missing index, or change the select of the mapping so that it reads less`,
      { cause: error },
    );
  }
}

/** Errors that concern the server or the moment, not the statement. */
const OUTAGES = new Set([
  'ER_CON_COUNT_ERROR',
  'ER_CONNECTION_KILLED',
  'ER_DISK_FULL',
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_NORMAL_SHUTDOWN',
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_OUTOFMEMORY',
  'ER_OUT_OF_RESOURCES',
  'ER_OUT_OF_SORTMEMORY',
  'ER_QUERY_INTERRUPTED',
  'ER_SERVER_SHUTDOWN',
  'ER_TABLE_DEF_CHANGED',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'PROTOCOL_CONNECTION_LOST',
]);

const DENIED = [
  'ER_COLUMNACCESS_DENIED_ERROR',
  'ER_DBACCESS_DENIED_ERROR',
  'ER_PROCACCESS_DENIED_ERROR',
  'ER_TABLEACCESS_DENIED_ERROR',
];

/** A right, table, column or function that is missing, also one named inside a function or view. */
const OF_THE_KIND = new Set([
  ...DENIED,
  'ER_BAD_FIELD_ERROR',
  'ER_NO_SUCH_TABLE',
  'ER_NO_SUCH_USER',
  'ER_SPECIFIC_ACCESS_DENIED_ERROR',
  'ER_SP_DOES_NOT_EXIST',
  'ER_UNKNOWN_TABLE',
  'ER_VIEW_INVALID',
]);

interface ServerError {
  readonly code?: string;
  readonly sqlState?: string;
  readonly sqlMessage?: string;
  /** The connection has ended. */
  readonly fatal?: boolean;
}

/** Null: not the server's error. */
export function faultOf(error: unknown): Fault | null {
  const { code = '', sqlState, fatal } = (error ?? {}) as ServerError;
  if (OUTAGES.has(code)) return 'outage';
  if (sqlState === undefined) return null;
  if (OF_THE_KIND.has(code)) return 'kind';
  return fatal === true ? 'outage' : 'row';
}

export function reasonIn(error: Error): string {
  return (error as ServerError).sqlMessage ?? error.message;
}

export function isDenied(error: unknown): boolean {
  return DENIED.includes((error as { code?: string }).code ?? '');
}
