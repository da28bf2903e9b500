import type { Knex } from 'knex';
import type { KnownKey } from '../../../domain/model/api-key.js';
import type { ApiKeyDirectory } from '../../../domain/ports/api-key-directory.js';
import { BatchedQuery } from '../connection/batched-query.js';
import { findKeys } from './find-keys.js';

export class PostgresApiKeyDirectory implements ApiKeyDirectory {
  /** Batched, so that a flood of unknown keys leaves the database to valid ones. */
  readonly #keys = new BatchedQuery((hashes) => findKeys(this.database, hashes));

  constructor(private readonly database: Knex) {}

  /**
   * Never from a cache. A primary that has not reached `since` has lost commits, or is a standby by
   * now: it may lack the commit that revokes the key.
   */
  async find(hash: string, since: number): Promise<KnownKey | null> {
    const found = await this.#keys.get(hash);
    if (found === undefined) return null;
    const { key, generation, isOnStandby } = found;
    if (isOnStandby && generation < since) {
      throw new Error(
        `READ_DATABASE_URL points to a standby that lacks generation ${since} of the key's organization`,
      );
    }
    return { key, generation };
  }
}
