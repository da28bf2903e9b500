import { setTimeout as pause } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import { LeadershipLost } from '../../../domain/errors.js';
import { failOnlyWithoutConnections } from '../../../domain/policies/fail-only-without-connections.js';
import { separateStatement } from '../../../domain/policies/reason-of.js';

/** Knex would write to the terminal; all its messages also arrive as errors. */
const NO_LOG = { debug() {}, warn() {}, error() {}, deprecate() {} };
/** Knex would ask each connection for its version before the session is configured. */
const VERSION = '8.0';

const CONNECT_TIMEOUT_MS = 5_000;
const ACQUIRE_TIMEOUT_MS = 6_000;
/** The worker may send no statement to the dashboard for a long time while it fills. */
const IDLE_SECONDS = 3_600;
/** The dashboard may lock its tables for longer; writers must not wait behind this session. */
const LOCK_SECONDS = 1;

/** The parts of the driver's connection that we use. */
export interface MysqlConnection {
  readonly stream: { readonly destroyed: boolean; destroy(): void };
  on(event: 'error' | 'end', listener: () => void): unknown;
  query(sql: string, done: (error: Error | null) => void): unknown;
  destroy(): void;
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
  const [min, max] = options.connections;
  const config: Knex.Config = {
    client: 'mysql2',
    // Values may be secret, and may be long.
    compileSqlOnError: false,
    version: VERSION,
    log: NO_LOG,
    connection: {
      uri: url,
      charset: 'utf8mb4_bin',
      // Of dates that are written. `asText` reads them.
      timezone: 'Z',
      connectTimeout: CONNECT_TIMEOUT_MS,
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
    acquireConnectionTimeout: ACQUIRE_TIMEOUT_MS,
  };
  const database = knex(config);
  database.on('query-error', (error: Error, { sql }: { readonly sql: string }) =>
    separateStatement(error, sql),
  );
  failOnlyWithoutConnections(database.client.pool);
  return database;
}

/** Every value as the server writes it. The source interprets it. */
function asText(field: { string(encoding?: string): string | null }): string | null {
  return field.string('utf8');
}

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
  const ofMariaDb = `/*M! , tx_${isolation}, max_statement_time = ${statementSeconds}, idle_transaction_timeout = 15 */`;
  const ofMysql = `/*!80000 , transaction_${isolation}, max_execution_time = ${statementSeconds * 1_000} */`;
  return `set ${settings.map((setting) => `session ${setting}`).join(', ')} ${ofMariaDb} ${ofMysql}`;
}

const CLOSE_TIMEOUT_MS = 500;

/** The only connection of a worker to a dashboard in MySQL or MariaDB. */
export class MysqlWorkerConnection {
  readonly database: Knex;
  readonly #opened: MysqlConnection[] = [];
  readonly #broken = new WeakSet<MysqlConnection>();

  /** `isForOneSession`: not reopened, because a new connection may lead to another server. */
  constructor(url: string, name: string, isForOneSession = false) {
    this.database = openMysql(url, {
      name,
      connections: [1, 1],
      statementSeconds: 9,
      onConnection: (opened) => {
        if (isForOneSession && this.#opened.length > 0) throw new LeadershipLost(null);
        this.#opened.push(opened);
        for (const event of ['error', 'end'] as const) opened.on(event, () => this.#broken.add(opened));
      },
    });
  }

  /** Whether the first connection is still open. */
  get isIntact(): boolean {
    const [first, ...later] = this.#opened;
    return first !== undefined && !first.stream.destroyed && !this.#broken.has(first) && later.length === 0;
  }

  /** Also closes a connection whose server no longer answers. */
  async close(): Promise<void> {
    const ended = this.database.destroy().catch(() => {});
    await Promise.race([ended, pause(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    for (const connection of this.#opened) connection.destroy();
  }
}
