import type { Knex } from 'knex';
import type { KnownKey } from '../../domain/model/api-key.js';
import type { ApiKeyDirectory } from '../../domain/ports/api-key-directory.js';
import { GatheredQuery } from './gathered-query.js';
import { QUERY_TIMEOUT_MS } from './read-database.js';

interface KeyRow {
  readonly id: string;
  readonly organization_id: string;
  readonly hash: string;
  readonly expires_at: Date | number | null;
  readonly revoked_at: Date | number | null;
  readonly generation: string | null;
}

export class PostgresApiKeyDirectory implements ApiKeyDirectory {
  /** A flood of keys that nobody has leaves the database to good ones. */
  readonly #keys = new GatheredQuery((hashes) => this.#of(hashes));

  constructor(private readonly database: Knex) {}

  /** Never from memory: `since` is met by the generation that the read tables have now, or nobody can meet it. */
  async find(hash: string): Promise<KnownKey | null> {
    return (await this.#keys.ask(hash)) ?? null;
  }

  async #of(hashes: string[]): Promise<ReadonlyMap<string, KnownKey>> {
    const { rows }: { rows: KeyRow[] } = await this.database
      .raw(
        `select distinct on (hash) id, keys.organization_id, hash, expires_at, revoked_at, generation
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

/** PostgreSQL's `infinity` comes as a number, any other time as a Date. */
function toMillis(time: Date | number | null): number | null {
  return time === null ? null : Number(time);
}
