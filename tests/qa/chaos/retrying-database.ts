import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const TIMEOUT_MS = 60_000;
const TRY_AGAIN_MS = 50;
/** A server that died during a statement never answers it. */
const STATEMENT_MS = 15_000;
/** These override what the database sets for new sessions. */
const OWN_SETTINGS = {
  search_path: 'public',
  datestyle: 'ISO',
  client_encoding: 'UTF8',
  default_transaction_read_only: 'off',
  default_transaction_isolation: 'read\\ committed',
  session_replication_role: 'origin',
  standard_conforming_strings: 'on',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_session_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  exit_on_error: 'off',
};
/** Classes of SQLSTATE: connections, operator intervention, a server that is read-only or starts, a deadlock. */
const PASSES = /^(08|57P|25006|55P03|40P01)/;

/** A connection that is reopened until a statement succeeds, so every statement has to be safe to repeat. */
export class RetryingDatabase {
  readonly #pool: pg.Pool;

  constructor(connectionString: string) {
    const options = Object.entries(OWN_SETTINGS).map(([name, value]) => `-c ${name}=${value}`);
    this.#pool = new pg.Pool({
      connectionString,
      max: 1,
      options: options.join(' '),
      query_timeout: STATEMENT_MS,
      connectionTimeoutMillis: STATEMENT_MS,
    });
    // The next query receives the error.
    this.#pool.on('error', () => {});
  }

  async query<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    const deadline = performance.now() + TIMEOUT_MS;
    for (;;) {
      try {
        return (await this.#pool.query<Row>(sql, [...values])).rows;
      } catch (error) {
        if (!mayPass(error) || performance.now() > deadline) throw error;
      }
      await pause(TRY_AGAIN_MS);
    }
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }
}

/** An error without SQLSTATE does not come from a server: the connection broke. */
function mayPass(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return !/^[0-9A-Z]{5}$/.test(code) || PASSES.test(code);
}
