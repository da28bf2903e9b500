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

  /** Never from a cache. */
  async find(hash: string): Promise<KnownKey | null> {
    return (await this.#keys.get(hash)) ?? null;
  }
}

interface KeyRow {
  readonly id: string;
  readonly organization_id: string;
  readonly hash: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly generation: string | null;
}

/** A key with the generation of its organization, in one state of the database. */
const KEYS_OF_HASHES = `
  select distinct on (hash) id, keys.organization_id, hash, ${epochMs('expires_at')} as expires_at,
    ${epochMs('revoked_at')} as revoked_at, generation
  from content_read.api_keys keys left join content_read.organizations using (organization_id)
  where hash = any(?::text[]) order by hash, id`;

async function findKeys(database: Knex, hashes: readonly string[]): Promise<ReadonlyMap<string, KnownKey>> {
  const { rows }: { rows: KeyRow[] } = await database
    .raw(KEYS_OF_HASHES, [[...hashes]])
    .timeout(QUERY_TIMEOUT_MS);
  return new Map(rows.map((row) => [row.hash, knownKey(row)]));
}

function knownKey(row: KeyRow): KnownKey {
  const key = {
    id: row.id,
    organizationId: row.organization_id,
    hash: row.hash,
    expiresAt: toMillis(row.expires_at),
    revokedAt: toMillis(row.revoked_at),
  };
  return { key, generation: Number(row.generation ?? 0) };
}
