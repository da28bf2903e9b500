import type { Knex } from 'knex';
import { QUERY_TIMEOUT_MS } from '../connection/read-database.js';
import { identityOn, type ServerIdentity } from '../inspect/server-identity.js';

/** Replicas are compared with it while the primary is unreachable. */
export class PrimaryIdentity {
  #last: ServerIdentity | null = null;

  constructor(private readonly database: Knex) {}

  /** Null: no answer yet. A replica would be blamed for a failure of the primary. */
  get known(): ServerIdentity | null {
    return this.#last;
  }

  /** To be called repeatedly. */
  async refresh(): Promise<void> {
    const query = async (sql: string) => await this.database.raw(sql).timeout(QUERY_TIMEOUT_MS);
    this.#last = await identityOn({ query });
  }
}
