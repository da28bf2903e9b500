import type { Knex } from 'knex';
import { QUERY_TIMEOUT_MS } from './read-database.js';
import { identityOn, type ServerIdentity } from './server-identity.js';

/** The primary's last known identity. While the primary is unreachable, replicas are still compared with it. */
export class PrimaryIdentity {
  #last: ServerIdentity | null = null;

  constructor(private readonly database: Knex) {}

  /** Does not ask the primary: a replica would be blamed for its failure or delay. */
  get known(): ServerIdentity {
    if (this.#last === null)
      throw new Error('READ_DATABASE_URL, with which it has to be compared, has not answered yet');
    return this.#last;
  }

  /** To be called repeatedly. */
  async refresh(): Promise<void> {
    const query = async (sql: string) => await this.database.raw(sql).timeout(QUERY_TIMEOUT_MS);
    this.#last = await identityOn({ query });
  }
}
