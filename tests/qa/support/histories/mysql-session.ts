import mysql from 'mysql2/promise';
import type { SessionControl } from './dashboard-session.js';

/**
 * Violated constraints, values that do not fit and locks held by others occur in any dashboard, so a history
 * tolerates them.
 */
const REFUSALS = new Set([
  'ER_CONSTRAINT_FAILED',
  'ER_DATA_TOO_LONG',
  'ER_DUP_ENTRY',
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'ER_NO_REFERENCED_ROW_2',
  'ER_ROW_IS_REFERENCED_2',
]);
/** The refusal that also ends the transaction. */
const FATAL = 'ER_LOCK_DEADLOCK';
const NOTHING = '-- nothing to do that to';

/** A connection of a MySQL dashboard, and the transaction open on it. */
export class MysqlSession {
  #client: mysql.Connection | null = null;
  #isInTransaction = false;
  #hasSavepoint = false;

  constructor(private readonly url: string) {}

  async open(): Promise<void> {
    this.#client = await mysql.createConnection({ uri: this.url, charset: 'utf8mb4_bin' });
    // It does not wait for locks at all.
    await this.#client.query(
      'set session innodb_lock_wait_timeout = 0, session sql_mode = "STRICT_ALL_TABLES"',
    );
  }

  async close(): Promise<void> {
    await this.#client?.end();
  }

  /** Commits at once unless a transaction is open. Returns the statement and its outcome. */
  async change(statement: string): Promise<string> {
    try {
      await this.#client?.query(statement);
      return statement;
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string };
      if (!REFUSALS.has(code)) throw error;
      if (code === FATAL) [this.#isInTransaction, this.#hasSavepoint] = [false, false];
      return `${statement} -- ${message}`;
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
      default:
        return NOTHING;
    }
  }

  /** Ends whatever is open. */
  async rest(): Promise<void> {
    await this.#end('commit');
  }

  async #begin(choice: number): Promise<string> {
    if (this.#isInTransaction) return NOTHING;
    this.#isInTransaction = true;
    const level = choice % 2 === 0 ? 'repeatable read' : 'read committed';
    await this.change(`set transaction isolation level ${level}`);
    return this.change('start transaction');
  }

  async #end(how: 'commit' | 'rollback'): Promise<string> {
    if (!this.#isInTransaction) return NOTHING;
    [this.#isInTransaction, this.#hasSavepoint] = [false, false];
    return this.change(how);
  }
}
