import type { Knex } from 'knex';
import { QUERY_TIMEOUT_MS } from './read-database.js';
import { identityOn, type ServerIdentity } from './server-identity.js';

/** What the primary said last of itself: while it is away, replicas are still compared with that. */
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
