import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const PATIENCE_MS = 60_000;
const TRY_AGAIN_MS = 50;
/** A server that died under a statement never answers it. */
const STATEMENT_MS = 15_000;
/** Whatever the database tells new sessions, these stay as they are. */
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
/** Of SQLSTATE: connections, an operator's intervention, a server that is read only or starts, a deadlock. */
const PASSES = /^(08|57P|25006|55P03|40P01)/;

/** A connection that is opened again until a statement succeeds: so all that is said here has to bear being said twice. */
export class PatientDatabase {
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
    // The next caller gets the error.
    this.#pool.on('error', () => {});
  }

  async query<Row extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    const deadline = performance.now() + PATIENCE_MS;
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

/** What has no SQLSTATE was said by no server: the connection broke. */
function mayPass(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return !/^[0-9A-Z]{5}$/.test(code) || PASSES.test(code);
}
