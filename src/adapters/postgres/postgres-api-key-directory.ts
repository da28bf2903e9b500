import type { Knex } from 'knex';
import type { KnownKey } from '../../domain/model/api-key.js';
import type { ApiKeyDirectory } from '../../domain/ports/api-key-directory.js';
import { BatchedQuery } from './batched-query.js';
import { findKeys } from './find-keys.js';

export class PostgresApiKeyDirectory implements ApiKeyDirectory {
  /** A flood of keys that nobody has leaves the database to good ones. */
  readonly #keys = new BatchedQuery((hashes) => findKeys(this.database, hashes));

  constructor(private readonly database: Knex) {}

  /**
   * Never from memory: `since` is met by the generation that the read tables have now. A primary that does not meet it has lost commits, and
   * nobody knows better. A standby at its address may only lag, and what it lacks may be the key's revocation.
   */
  async find(hash: string, since: number): Promise<KnownKey | null> {
    const found = await this.#keys.ask(hash);
    if (found === undefined) return null;
    const { key, generation, isOnStandby } = found;
    if (isOnStandby && generation < since) {
      throw new Error(
        `READ_DATABASE_URL leads to a standby that lacks generation ${since} of the key's organization`,
      );
    }
    return { key, generation };
  }
}
