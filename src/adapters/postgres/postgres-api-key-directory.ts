import type { Knex } from 'knex';
import type { KnownKey } from '../../domain/model/api-key.js';
import type { ApiKeyDirectory } from '../../domain/ports/api-key-directory.js';
import { QUERY_TIMEOUT_MS } from './read-database.js';

export class PostgresApiKeyDirectory implements ApiKeyDirectory {
  constructor(private readonly database: Knex) {}

  /** Never from memory: `since` is met by the generation that the read tables have now, or nobody can meet it. */
  async find(hash: string): Promise<KnownKey | null> {
    const row = await this.database
      .withSchema('content_read')
      .from('api_keys')
      .leftJoin('organizations', 'organizations.organization_id', 'api_keys.organization_id')
      .where({ hash })
      .orderBy('id')
      .first('id', 'api_keys.organization_id', 'hash', 'expires_at', 'revoked_at', 'generation')
      .timeout(QUERY_TIMEOUT_MS);
    if (row === undefined) return null;
    const key = {
      id: row.id,
      organizationId: row.organization_id,
      hash: row.hash,
      expiresAt: toMillis(row.expires_at),
      revokedAt: toMillis(row.revoked_at),
    };
    return { key, generation: Number(row.generation ?? 0) };
  }
}

/** PostgreSQL's `infinity` comes as a number, any other time as a Date. */
function toMillis(time: Date | number | null): number | null {
  return time === null ? null : Number(time);
}
