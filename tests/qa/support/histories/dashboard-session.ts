import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { SyncedDatabases } from '../../../support/sync/synced-databases.js';

/**
 * Violated constraints, locks held by others and TRUNCATE of referenced tables occur in any dashboard, so a history
 * tolerates them.
 */
const REFUSALS = /^(0A|23|40|55)/;
const LOCK_TIMEOUT_MS = 20;
const NOTHING = '-- nothing to do that to';

export type SessionControl =
  | 'begin'
  | 'savepoint'
  | 'roll back to savepoint'
  | 'commit'
  | 'roll back'
  | 'prepare'
  | 'end prepared'
  | 'write as a replica';

/** A connection of the dashboard, and the transaction open on it. */
export class DashboardSession {
  readonly #client: pg.Client;
  #isInTransaction = false;
  #hasSavepoint = false;
  /** The name of its prepared transaction that is still open. */
  #prepared: string | null = null;

  constructor({ writeDatabaseUrl }: SyncedDatabases) {
    this.#client = new pg.Client(writeDatabaseUrl);
  }

  async open(): Promise<void> {
    await this.#client.connect();
    await this.#client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
  }

  async close(): Promise<void> {
    await this.#client.query('rollback');
    if (this.#prepared !== null) await this.#client.query(`rollback prepared '${this.#prepared}'`);
    await this.#client.end();
  }

  /** Commits at once unless a transaction is open. Returns the statement and its outcome. */
  async change(statement: string): Promise<string> {
    const refusal = await this.#try(statement);
    if (refusal === null) return statement;
    if (this.#isInTransaction) {
      await this.#client.query(this.#hasSavepoint ? 'rollback to savepoint here' : 'rollback');
      this.#isInTransaction = this.#hasSavepoint;
    }
    return `${statement} -- ${refusal}`;
  }

  async control(what: SessionControl, choice: number): Promise<string> {
    switch (what) {
      case 'begin':
        return this.#begin();
      case 'write as a replica':
        await this.#begin();
        return this.change('set local session_replication_role = replica');
      case 'savepoint':
        await this.#begin();
        this.#hasSavepoint = true;
        return this.change('savepoint here');
      case 'roll back to savepoint':
        return this.#hasSavepoint ? this.change('rollback to savepoint here') : NOTHING;
      case 'commit':
        return this.#end('commit');
      case 'roll back':
        return this.#end('rollback');
      case 'prepare':
        return this.#prepare();
      case 'end prepared':
        return this.#endPrepared(choice % 3 === 0 ? 'rollback' : 'commit');
    }
  }

  /** Ends whatever is open. */
  async rest(): Promise<void> {
    await this.#end('commit');
    await this.#endPrepared('commit');
  }

  async #begin(): Promise<string> {
    if (this.#isInTransaction) return NOTHING;
    this.#isInTransaction = true;
    return this.change('begin');
  }

  async #end(how: 'commit' | 'rollback' | `prepare transaction '${string}'`): Promise<string> {
    if (!this.#isInTransaction) return NOTHING;
    this.#isInTransaction = false;
    this.#hasSavepoint = false;
    return this.change(how);
  }

  async #prepare(): Promise<string> {
    if (this.#prepared !== null || !this.#isInTransaction) return NOTHING;
    const name = randomUUID();
    const outcome = await this.#end(`prepare transaction '${name}'`);
    if (!outcome.includes('--')) this.#prepared = name;
    return outcome;
  }

  async #endPrepared(how: 'commit' | 'rollback'): Promise<string> {
    const prepared = this.#prepared;
    if (prepared === null || this.#isInTransaction) return NOTHING;
    this.#prepared = null;
    return this.change(`${how} prepared '${prepared}'`);
  }

  /** Returns null on success. */
  async #try(statement: string): Promise<string | null> {
    try {
      await this.#client.query(statement);
      return null;
    } catch (error) {
      if (error instanceof pg.DatabaseError && REFUSALS.test(error.code ?? '')) return error.message;
      throw error;
    }
  }
}
