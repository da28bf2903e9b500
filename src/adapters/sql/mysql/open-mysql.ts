import { promisify } from 'node:util';
import type { Knex } from 'knex';
import { openKnex } from '../open-knex.js';
import { type OpenedConnection, WorkerConnection } from '../worker-connection.js';

const CONNECT_TIMEOUT_MS = 5_000;
const ACQUIRE_TIMEOUT_MS = 6_000;
/** The worker may send no statement to the dashboard for a long time while it fills. */
const IDLE_SECONDS = 3_600;
/** The dashboard may lock its tables for longer; writers must not wait behind this session. */
const LOCK_SECONDS = 1;

/** The parts of the driver's connection that we use. */
interface MysqlConnection extends OpenedConnection {
  query(sql: string, done: (error: Error | null) => void): unknown;
}

interface MysqlOptions {
  readonly name: string;
  readonly connections: readonly [min: number, max: number];
  /** How long a statement may take. */
  readonly statementSeconds: number;
  /** If this throws, the connection is not used. */
  readonly onConnection?: (connection: MysqlConnection) => void;
}

/** The check for duplicate keys scans a whole table. */
const OF_A_COMMAND: MysqlOptions = { name: 'blog-read-api', connections: [0, 1], statementSeconds: 300 };

/** The only place that connects to MySQL or MariaDB, whatever the settings of the server are. */
export function openMysql(url: string, options = OF_A_COMMAND): Knex {
  return openKnex<MysqlConnection>({
    client: 'mysql2',
    version: '8.0',
    connection: {
      uri: url,
      charset: 'utf8mb4_bin',
      // For dates in bindings. Dates in results are text: see `asText`.
      timezone: 'Z',
      connectTimeout: CONNECT_TIMEOUT_MS,
      enableKeepAlive: true,
      connectAttributes: { program_name: options.name },
      typeCast: asText,
    },
    connections: options.connections,
    acquireTimeoutMs: ACQUIRE_TIMEOUT_MS,
    configure: async (connection) => {
      options.onConnection?.(connection);
      await promisify(connection.query).call(connection, pinned(options));
    },
  });
}

/** Every value as the server writes it. The source interprets it. */
function asText(field: { string(encoding?: string): string | null }): string | null {
  return field.string('utf8');
}

/** A step has 10 s. After a slow statement it can still write that a row failed. */
export const WORKER_STATEMENT_SECONDS = 8;

/** One statement: settings of only one product are in a comment that only this one executes. */
function pinned({ statementSeconds }: MysqlOptions): string {
  const settings = [
    'character_set_client = utf8mb4',
    'character_set_results = utf8mb4',
    'collation_connection = utf8mb4_bin',
    `sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'`,
    `time_zone = '+00:00'`,
    'autocommit = 1',
    'completion_type = NO_CHAIN',
    `wait_timeout = ${IDLE_SECONDS}`,
    'sql_select_limit = default',
    // Ids are compared as a whole: a walk continues after the last one.
    'max_sort_length = 16384',
    'sql_safe_updates = 0',
    'sql_big_selects = 1',
    'foreign_key_checks = 1',
    `lock_wait_timeout = ${LOCK_SECONDS}`,
    `innodb_lock_wait_timeout = ${LOCK_SECONDS}`,
  ];
  const isolation = `isolation = 'READ-COMMITTED'`;
  const ofMariaDb = `/*M! , tx_${isolation}, idle_transaction_timeout = 15 */`;
  const ofMysql = `/*!80000 , transaction_${isolation} */`;
  const pinnedSettings = settings.map((setting) => `session ${setting}`).join(', ');
  return `${statementLimit(statementSeconds)}, ${pinnedSettings} ${ofMariaDb} ${ofMysql}`;
}

export function statementLimit(seconds: number): string {
  return `set /*M! session max_statement_time = ${seconds} */ /*!80000 session max_execution_time = ${seconds * 1_000} */`;
}

/** The only connection of a worker to a dashboard in MySQL or MariaDB. */
export function connectMysqlWorker(url: string, name: string, isForOneSession: boolean): WorkerConnection {
  const open = (onConnection: (opened: OpenedConnection) => void) =>
    openMysql(url, { name, connections: [1, 1], statementSeconds: WORKER_STATEMENT_SECONDS, onConnection });
  return new WorkerConnection(open, isForOneSession);
}
