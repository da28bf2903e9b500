import knex, { type Knex } from 'knex';

/** Knex would write to the terminal; all its messages also arrive as errors. */
const NO_LOG = { debug() {}, warn() {}, error() {}, deprecate() {} };
/** Knex would ask each connection for its version before the session is configured. */
const VERSION = '8.0';

/** While the worker fills the read tables, it can go without a statement to the dashboard for a long time. */
const IDLE_SECONDS = 3_600;

/** The parts of the driver's connection that we use. */
export interface MysqlConnection {
  readonly stream: { readonly destroyed: boolean; destroy(): void };
  readonly threadId: number;
  on(event: 'error' | 'end', listener: () => void): unknown;
  query(sql: string, done: (error: Error | null) => void): unknown;
  destroy(): void;
}

export interface MysqlOptions {
  readonly name: string;
  readonly connections: readonly [number, number];
  readonly connectTimeoutMs: number;
  readonly acquireTimeoutMs: number;
  /** How long a statement may take, and how long it may wait for the lock of a session that changes a table. */
  readonly statementSeconds: number;
  readonly lockSeconds: number;
  /** If this throws, the connection is not used. */
  readonly onConnection?: (connection: MysqlConnection) => void;
}

/**
 * The only place that connects to MySQL or MariaDB. Sessions do not depend on the server's settings. Knex loads the driver here, so it is
 * only loaded if the dashboard uses it.
 */
export function openMysql(url: string, options: MysqlOptions): Knex {
  const [min, max] = options.connections;
  const config: Knex.Config = {
    client: 'mysql2',
    version: VERSION,
    log: NO_LOG,
    connection: {
      uri: url,
      charset: 'utf8mb4_bin',
      connectTimeout: options.connectTimeoutMs,
      enableKeepAlive: true,
      connectAttributes: { program_name: options.name },
      typeCast: asText,
    } as object,
    pool: {
      min,
      max,
      afterCreate: (connection: MysqlConnection, done: (error: Error | null) => void) => {
        try {
          options.onConnection?.(connection);
        } catch (error) {
          done(error as Error);
          return;
        }
        connection.query(pinned(options), done);
      },
    },
    acquireConnectionTimeout: options.acquireTimeoutMs,
  };
  try {
    return knex(config);
  } catch (error) {
    throw new Error(
      'WRITE_DATABASE_URL begins with mysql:, but the driver for it is not installed: run `npm install mysql2` in the folder of this program.',
      { cause: error },
    );
  }
}

/** Every value as the server writes it. The source interprets it. */
function asText(field: { string(encoding?: string): string | null }): string | null {
  return field.string('utf8');
}

/** A single statement. Settings of only one of the two products are in a comment that only that product executes. */
function pinned({ statementSeconds, lockSeconds }: MysqlOptions): string {
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
    'sql_safe_updates = 0',
    'sql_big_selects = 1',
    'foreign_key_checks = 1',
    `lock_wait_timeout = ${lockSeconds}`,
    `innodb_lock_wait_timeout = ${lockSeconds}`,
  ];
  const isolation = `isolation = 'READ-COMMITTED'`;
  const ofMariaDb = `/*M! , tx_${isolation}, max_statement_time = ${statementSeconds}, idle_transaction_timeout = 15 */`;
  const ofMysql = `/*!80000 , transaction_${isolation}, max_execution_time = ${statementSeconds * 1_000} */`;
  return `set ${settings.map((setting) => `session ${setting}`).join(', ')} ${ofMariaDb} ${ofMysql}`;
}
