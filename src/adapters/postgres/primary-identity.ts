import type { Knex } from 'knex';
import { QUERY_TIMEOUT_MS } from './read-database.js';
import { identityOn, type ServerIdentity } from './server-identity.js';

/** The primary's last known identity. While the primary is unreachable, replicas are still compared with it. */
export class PrimaryIdentity {
  #last: ServerIdentity | null = null;

  constructor(private readonly database: Knex) {}

  async known(): Promise<ServerIdentity> {
    return this.#last ?? this.look();
  }

  async look(): Promise<ServerIdentity> {
    const query = async (sql: string) => await this.database.raw(sql).timeout(QUERY_TIMEOUT_MS);
    this.#last = await identityOn({ query });
    return this.#last;
  }
}
