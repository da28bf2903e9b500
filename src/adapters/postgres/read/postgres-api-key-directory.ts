import type { Knex } from 'knex';
import type { KnownKey } from '../../../domain/model/api-key.js';
import type { ApiKeyDirectory } from '../../../domain/ports/reading/api-key-directory.js';
import { BatchedQuery } from './batched-query.js';
import { QUERY_TIMEOUT_MS } from './read-database.js';
import { epochMs, toMillis } from './read-table.js';

export class PostgresApiKeyDirectory implements ApiKeyDirectory {
  /** Batched, so that a flood of unknown keys leaves the database to valid ones. */
  readonly #keys = new BatchedQuery((hashes) => findKeys(this.database, hashes));

  constructor(private readonly database: Knex) {}

  /**
   * Never from a cache. A standby that has not reached `since` may lack the commit that revokes the
   * key.
   */
  async find(hash: string, since: number): Promise<KnownKey | null> {
    const row = await this.#keys.get(hash);
    if (row === undefined) return null;
    const { key, generation, isOnStandby } = row;
    if (isOnStandby && generation < since) {
      throw new Error(
        `READ_DATABASE_URL points to a standby that lacks generation ${since} of the key's organization`,
      );
    }
    return { key, generation };
  }
}

interface KeyRow {
  readonly id: string;
  readonly organization_id: string;
  readonly hash: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly generation: string | null;
  readonly is_on_standby: boolean;
}

/** A key with its organization's generation from the same snapshot of the database. */
export interface FoundKey extends KnownKey {
  /** Whether a standby answered, which may lack commits of the primary. */
  readonly isOnStandby: boolean;
}

const KEYS_OF_HASHES = `
  select distinct on (hash) id, keys.organization_id, hash, ${epochMs('expires_at')} as expires_at,
    ${epochMs('revoked_at')} as revoked_at, generation, pg_is_in_recovery() as is_on_standby
  from content_read.api_keys keys left join content_read.organizations using (organization_id)
  where hash = any(?::text[]) order by hash, id`;

export async function findKeys(
  database: Knex,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, FoundKey>> {
  const { rows }: { rows: KeyRow[] } = await database
    .raw(KEYS_OF_HASHES, [[...hashes]])
    .timeout(QUERY_TIMEOUT_MS);
  return new Map(rows.map((row) => [row.hash, foundKey(row)]));
}

function foundKey(row: KeyRow): FoundKey {
  const key = {
    id: row.id,
    organizationId: row.organization_id,
    hash: row.hash,
    expiresAt: toMillis(row.expires_at),
    revokedAt: toMillis(row.revoked_at),
  };
  return { key, generation: Number(row.generation ?? 0), isOnStandby: row.is_on_standby };
}
