import mysql from 'mysql2/promise';
import pg from 'pg';

const NOTHING = '-- nothing to do that to';
const LOCK_TIMEOUT_MS = 20;

export type SessionControl = 'begin' | 'savepoint' | 'roll back to savepoint' | 'commit' | 'roll back';

/** A connection to a server of one engine. */
interface Connection {
  query(sql: string): Promise<unknown>;
  close(): Promise<void>;
  /** Statements that begin a transaction. */
  begin(choice: number): readonly string[];
  /**
   * Violated constraints, values that do not fit and locks held by others occur in any dashboard, so a history
   * tolerates them.
   */
  isRefusal(error: { readonly code?: string }): boolean;
  /** Whether a statement commits the transaction in which it is. */
  commits(statement: string): boolean;
  /** How a transaction goes on after a refusal: with this statement, unchanged, or not at all. */
  afterRefusal(error: { readonly code?: string }, hasSavepoint: boolean): string | 'goes on' | 'is over';
}

async function connectToPostgres(url: string): Promise<Connection> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
  return {
    query: (sql) => client.query(sql),
    close: () => client.query('rollback').then(() => client.end()),
    begin: () => ['begin'],
    isRefusal: ({ code = '' }) => /^(0A|23|40|55)/.test(code),
    commits: () => false,
    afterRefusal: (_, hasSavepoint) => (hasSavepoint ? 'rollback to savepoint here' : 'rollback'),
  };
}

const MYSQL_REFUSALS = new Set([
  'ER_CONSTRAINT_FAILED',
  'ER_DATA_TOO_LONG',
  'ER_DUP_ENTRY',
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_NO_REFERENCED_ROW_2',
  'ER_ROW_IS_REFERENCED_2',
]);

async function connectToMysql(url: string): Promise<Connection> {
  const client = await mysql.createConnection({ uri: url, charset: 'utf8mb4_bin' });
  // It does not wait for locks at all.
  await client.query(
    'set session innodb_lock_wait_timeout = 0, session lock_wait_timeout = 0, session sql_mode = "STRICT_ALL_TABLES"',
  );
  return {
    query: (sql) => client.query(sql),
    close: () => client.end(),
    begin: (choice) => {
      const level = choice % 2 === 0 ? 'repeatable read' : 'read committed';
      return [`set transaction isolation level ${level}`, 'start transaction'];
    },
    isRefusal: ({ code = '' }) => MYSQL_REFUSALS.has(code),
    commits: (statement) => /^(alter|rename|truncate) /.test(statement),
    afterRefusal: ({ code }) => (code === 'ER_LOCK_DEADLOCK' ? 'is over' : 'goes on'),
  };
}

/** A connection of the dashboard, and the transaction open on it. */
export class DashboardSession {
  #isInTransaction = false;
  #hasSavepoint = false;

  private constructor(private readonly connection: Connection) {}

  static async open(url: string): Promise<DashboardSession> {
    return new DashboardSession(await (url.startsWith('mysql:') ? connectToMysql : connectToPostgres)(url));
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /** Commits at once unless a transaction is open. Returns the statement and its outcome. */
  async change(statement: string): Promise<string> {
    if (this.connection.commits(statement)) this.#isInTransaction = this.#hasSavepoint = false;
    try {
      await this.connection.query(statement);
      return statement;
    } catch (error) {
      const refusal = error as Error & { readonly code?: string };
      if (!this.connection.isRefusal(refusal)) throw error;
      if (this.#isInTransaction) await this.#goOnAfter(refusal);
      return `${statement} -- ${refusal.message}`;
    }
  }

  async control(what: SessionControl, choice: number): Promise<string> {
    switch (what) {
      case 'begin':
        return this.#begin(choice);
      case 'savepoint':
        await this.#begin(choice);
        this.#hasSavepoint = true;
        return this.change('savepoint here');
      case 'roll back to savepoint':
        return this.#hasSavepoint ? this.change('rollback to savepoint here') : NOTHING;
      case 'commit':
        return this.#end('commit');
      case 'roll back':
        return this.#end('rollback');
    }
  }

  /** Ends whatever is open. */
  async rest(): Promise<void> {
    await this.#end('commit');
  }

  async #goOnAfter(refusal: { readonly code?: string }): Promise<void> {
    const next = this.connection.afterRefusal(refusal, this.#hasSavepoint);
    if (next === 'goes on') return;
    if (next !== 'is over') await this.connection.query(next);
    this.#isInTransaction = next !== 'is over' && this.#hasSavepoint;
    this.#hasSavepoint = this.#isInTransaction;
  }

  async #begin(choice: number): Promise<string> {
    if (this.#isInTransaction) return NOTHING;
    const statements = this.connection.begin(choice);
    for (const statement of statements) await this.connection.query(statement);
    this.#isInTransaction = true;
    return statements.join('; ');
  }

  async #end(how: 'commit' | 'rollback'): Promise<string> {
    if (!this.#isInTransaction) return NOTHING;
    this.#isInTransaction = false;
    this.#hasSavepoint = false;
    return this.change(how);
  }
}
