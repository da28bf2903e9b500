import type { Knex } from 'knex';
import type { KnownKey } from '../../domain/model/api-key.js';
import type { ApiKeyDirectory } from '../../domain/ports/api-key-directory.js';
import { BatchedQuery } from './batched-query.js';
import { epochMs, toMillis } from './epoch-ms.js';
import { QUERY_TIMEOUT_MS } from './read-database.js';

interface KeyRow {
  readonly id: string;
  readonly organization_id: string;
  readonly hash: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly generation: string | null;
}

export class PostgresApiKeyDirectory implements ApiKeyDirectory {
  /** A flood of keys that nobody has leaves the database to good ones. */
  readonly #keys = new BatchedQuery((hashes) => this.#of(hashes));

  constructor(private readonly database: Knex) {}

  /** Never from memory: `since` is met by the generation that the read tables have now, or nobody can meet it. */
  async find(hash: string): Promise<KnownKey | null> {
    return (await this.#keys.ask(hash)) ?? null;
  }

  async #of(hashes: string[]): Promise<ReadonlyMap<string, KnownKey>> {
    const { rows }: { rows: KeyRow[] } = await this.database
      .raw(
        `select distinct on (hash) id, keys.organization_id, hash, ${epochMs('expires_at')} as expires_at,
           ${epochMs('revoked_at')} as revoked_at, generation
         from content_read.api_keys keys left join content_read.organizations using (organization_id)
         where hash = any(?::text[]) order by hash, id`,
        [hashes],
      )
      .timeout(QUERY_TIMEOUT_MS);
    return new Map(rows.map((row) => [row.hash, knownKey(row)]));
  }
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
