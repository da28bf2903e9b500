import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import mysql from 'mysql2/promise';

export type Value = string | number | null;
/** By their names in the statement, such as `:id`. Lists are for `in (:ids)`, lists of lists for `values :rows`. */
export type Values = Readonly<Record<string, Value | readonly Value[] | readonly (readonly Value[])[]>>;

/** Sends statements to MariaDB, one at a time. */
export interface Session {
  /** Returns the rows. */
  query<Row>(sql: string, values?: Values): Promise<readonly Row[]>;
  /** Returns the number of affected rows. */
  execute(sql: string, values?: Values): Promise<number>;
  /** Like `execute`, for values that may be large: they are sent separately, not as a part of the statement. */
  executePrepared(sql: string, values: readonly Value[]): Promise<number>;
}

interface ConnectionOptions {
  readonly connections: number;
  readonly timeoutMs: number;
  readonly mayWrite: boolean;
}

const API: ConnectionOptions = { connections: 10, timeoutMs: 1_000, mayWrite: false };
const WORKER: ConnectionOptions = { connections: 1, timeoutMs: 9_000, mayWrite: true };
const CLOSE_TIMEOUT_MS = 500;
/** The server ends a statement after this share of the time limit, before the client gives up the connection. */
const SERVER_TIMEOUT_SHARE = 0.95;

/** The only file that uses the driver. */
export class Database implements Session {
  readonly #pool: mysql.Pool;
  readonly #sockets = new Set<Socket>();

  private constructor(
    url: string,
    private readonly options: ConnectionOptions,
  ) {
    this.#pool = mysql.createPool({
      uri: url,
      charset: 'utf8mb4',
      namedPlaceholders: true,
      connectionLimit: options.connections,
      connectTimeout: options.timeoutMs,
      typeCast: asText,
    });
    this.#pool.pool.on('connection', (connection) => {
      const socket = socketOf(connection);
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      // These run before any statement of a caller, or the connection is closed.
      for (const setting of settingsOf(options)) {
        connection.query(setting, (error) => {
          if (error !== null) connection.destroy();
        });
      }
    });
  }

  /** With a short time limit, because a caller waits for the response. */
  static forApi(url: string): Database {
    return new Database(url, API);
  }

  /** One connection, so statements run in order. If it is lost, the pool opens another one, on which the worker is not the leader. */
  static forWorker(url: string): Database {
    return new Database(url, WORKER);
  }

  query<Row>(sql: string, values?: Values): Promise<readonly Row[]> {
    return this.#connected((session) => session.query<Row>(sql, values));
  }

  execute(sql: string, values?: Values): Promise<number> {
    return this.#connected((session) => session.execute(sql, values));
  }

  executePrepared(sql: string, values: readonly Value[]): Promise<number> {
    return this.#connected((session) => session.executePrepared(sql, values));
  }

  /** Commits all changes of `work`, or none. */
  transaction<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    return this.#connected(async (session) => {
      await session.execute('start transaction');
      try {
        const result = await work(session);
        await session.execute('commit');
        return result;
      } catch (error) {
        await session.execute('rollback').catch(() => {});
        throw error;
      }
    });
  }

  /** Also ends if the server does not respond any more. */
  async close(): Promise<void> {
    await Promise.race([
      this.#pool.end().catch(() => {}),
      pause(CLOSE_TIMEOUT_MS, undefined, { ref: false }),
    ]);
    for (const socket of this.#sockets) socket.destroy();
  }

  async #connected<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    const connection = await this.#pool.getConnection();
    try {
      return await work(new ConnectedSession(connection, this.options.timeoutMs));
    } finally {
      connection.release();
    }
  }
}

class ConnectedSession implements Session {
  constructor(
    private readonly connection: mysql.PoolConnection,
    private readonly timeout: number,
  ) {}

  async query<Row>(sql: string, values: Values = {}): Promise<readonly Row[]> {
    return (await this.#send<mysql.RowDataPacket[]>(sql, values)) as Row[];
  }

  async execute(sql: string, values: Values = {}): Promise<number> {
    return (await this.#send<mysql.ResultSetHeader>(sql, values)).affectedRows;
  }

  async executePrepared(sql: string, values: readonly Value[]): Promise<number> {
    const options = { sql, timeout: this.timeout };
    return (await this.#withTimeout(this.connection.execute<mysql.ResultSetHeader>(options, [...values])))
      .affectedRows;
  }

  #send<Result extends mysql.QueryResult>(sql: string, values: Values): Promise<Result> {
    // The driver does not modify the values, although its types do not say so.
    const given = values as Record<string, mysql.QueryValues>;
    return this.#withTimeout(this.connection.query<Result>({ sql, timeout: this.timeout }, given));
  }

  /** A connection with an outstanding response cannot be used again. */
  async #withTimeout<Result>(answer: Promise<[Result, unknown]>): Promise<Result> {
    try {
      const [result] = await answer;
      return result;
    } catch (error) {
      if (codeOf(error) === 'PROTOCOL_SEQUENCE_TIMEOUT') {
        this.connection.destroy();
        // Otherwise the socket would wait until the server closes it.
        socketOf(this.connection.connection).destroy();
      }
      throw error;
    }
  }
}

/** Runs several statements on a separate connection. */
export async function runScript(url: string, script: string): Promise<void> {
  const connection = await mysql.createConnection({ uri: url, charset: 'utf8mb4', multipleStatements: true });
  await connection.query(script).finally(() => connection.end());
}

/** Statements depend on these settings, so the settings of the server do not apply. */
function settingsOf({ timeoutMs, mayWrite }: ConnectionOptions): readonly string[] {
  const timeoutSeconds = (timeoutMs / 1000) * SERVER_TIMEOUT_SHARE;
  return [
    `set session transaction isolation level read committed, ${mayWrite ? 'read write' : 'read only'}`,
    `set session sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', session max_statement_time = ${timeoutSeconds},
       session innodb_lock_wait_timeout = 1, session group_concat_max_len = 16777216`,
  ];
}

/** All binary columns contain UTF-8. */
function asText(field: { type: string; string(encoding: string): string | null }, next: () => unknown) {
  return field.type === 'VAR_STRING' || field.type.endsWith('BLOB') ? field.string('utf8') : next();
}

/** A property of the driver that its types do not declare. */
function socketOf(connection: object): Socket {
  return (connection as { readonly stream: Socket }).stream;
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null;
}

/** Data that MariaDB cannot store: wrong values, broken constraints. */
export function isDataError(error: unknown): error is Error {
  return error instanceof Error && 'sqlState' in error && /^2[23]/.test(String(error.sqlState));
}

/** Temporary errors: the server, the connection or a lock failed, not the statement. */
const OUTAGES: ReadonlySet<string | null> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ER_CON_COUNT_ERROR',
  'ER_CONNECTION_KILLED',
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_NORMAL_SHUTDOWN',
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_SERVER_SHUTDOWN',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
]);

export function isOutage(error: unknown): boolean {
  return OUTAGES.has(codeOf(error));
}
