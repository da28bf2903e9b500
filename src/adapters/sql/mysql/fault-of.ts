import type { Fault } from '../../../domain/errors.js';

/** What MariaDB's and MySQL's codes mean. MariaDB's driver has only a number for some. */
const MEANINGS = {
  /** They concern the server or the moment, not the statement. */
  outage: new Set([
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
  ]),
  denied: new Set([
    'ER_COLUMNACCESS_DENIED_ERROR',
    'ER_DBACCESS_DENIED_ERROR',
    'ER_PROCACCESS_DENIED_ERROR',
    'ER_TABLEACCESS_DENIED_ERROR',
  ]),
  /** A table, column or function that is missing, also one named inside a function or view. */
  missing: new Set([
    'ER_BAD_FIELD_ERROR',
    'ER_NO_SUCH_TABLE',
    'ER_NO_SUCH_USER',
    'ER_SPECIFIC_ACCESS_DENIED_ERROR',
    'ER_SP_DOES_NOT_EXIST',
    'ER_UNKNOWN_TABLE',
    'ER_VIEW_INVALID',
  ]),
  locked: new Set(['ER_LOCK_WAIT_TIMEOUT']),
  slow: new Set([1969, 3024]),
  /** A table was created, truncated or rewritten after the snapshot. */
  tableChanged: new Set(['ER_TABLE_DEF_CHANGED']),
  /** The right PROCESS is missing, or the character set lacks the characters of file names. */
  unavailableFacts: new Set(['ER_SPECIFIC_ACCESS_DENIED_ERROR', 'ER_UNKNOWN_CHARACTER_SET']),
} satisfies Record<string, ReadonlySet<string | number>>;

interface ServerError {
  readonly code?: string;
  readonly errno?: number;
  readonly sqlState?: string;
  readonly sqlMessage?: string;
  /** The connection has ended. */
  readonly fatal?: boolean;
}

export function means(error: unknown, meaning: keyof typeof MEANINGS): boolean {
  const { code = '', errno = 0 } = (error ?? {}) as ServerError;
  const codes: ReadonlySet<string | number> = MEANINGS[meaning];
  return codes.has(code) || codes.has(errno);
}

/** Null: not the server's error. */
export function faultOf(error: unknown): Fault | null {
  if (means(error, 'outage')) return 'outage';
  const { sqlState, fatal } = (error ?? {}) as ServerError;
  if (sqlState === undefined) return null;
  if (means(error, 'denied') || means(error, 'missing')) return 'kind';
  return fatal === true ? 'outage' : 'row';
}

export function reasonIn(error: Error): string {
  return (error as ServerError).sqlMessage ?? error.message;
}
