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

export function isMysqlOutage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && OUTAGES.has(String(error.code));
}

interface Rejection {
  readonly sqlState?: string;
  readonly sqlMessage?: string;
  /** The connection has ended. */
  readonly fatal?: boolean;
}

/** Why the server rejected a statement. Null: the connection, the server or the moment is the cause. */
export function rejectionIn(error: unknown): string | null {
  const { sqlState, sqlMessage, fatal } = error as Rejection;
  return sqlState === undefined || fatal === true || isMysqlOutage(error) ? null : (sqlMessage ?? '');
}
