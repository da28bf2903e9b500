import type { ApiKey, ApiKeyDirectory, KnownKey } from 'blog-content-read-api/ports';
import type { Session } from './database.js';
import { timeOf } from './read-tables.js';

interface KeyRow extends ApiKey {
  readonly generation: number;
}

export class MariadbApiKeyDirectory implements ApiKeyDirectory {
  constructor(private readonly database: Session) {}

  /** Always reads the tables, so it ignores `since`: no newer generation exists. One statement, and so one snapshot. */
  async find(hash: string): Promise<KnownKey | null> {
    const [row] = await this.database.query<KeyRow>(
      `select id, api_keys.organization_id as organizationId, hash, expires_at as expiresAt, revoked_at as revokedAt,
         coalesce(generation, 0) as generation
       from api_keys left join organizations on organizations.organization_id = api_keys.organization_id
       where hash = :hash order by id limit 1`,
      { hash },
    );
    if (row === undefined) return null;
    const { generation, ...key } = row;
    return {
      key: { ...key, expiresAt: timeOf(key.expiresAt), revokedAt: timeOf(key.revokedAt) },
      generation,
    };
  }
}
