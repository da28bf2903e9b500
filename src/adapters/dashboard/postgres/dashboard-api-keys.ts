import type { Knex } from 'knex';
import type { KeyHasher } from '../../../domain/ports/key-hasher.js';
import { issueKey, type ListedKey, UnknownInDashboard } from '../issued-key.js';

const FOREIGN_KEY_VIOLATION = '23503';

/** The table of keys, and whether there is an organization to issue keys for. */
export interface KeyHome {
  readonly table: string;
  readonly hasOrganization: (database: Knex, id: string) => Promise<boolean>;
}

const REFERENCE_HOME: KeyHome = {
  table: 'public.api_keys',
  hasOrganization: async (database, id) =>
    (await database('public.organizations').where({ id }).first('id')) !== undefined,
};

/** Does the work of the dashboard's page Settings > API. It is the only place that ever holds a key, until it is shown. */
export class DashboardApiKeys {
  constructor(
    private readonly database: Knex,
    private readonly hasher: KeyHasher,
    private readonly home = REFERENCE_HOME,
  ) {}

  async create(
    organizationId: string,
    name: string,
    expiresAt: Date | null,
  ): Promise<{ id: string; key: string }> {
    if (!(await this.home.hasOrganization(this.database, organizationId)))
      throw new UnknownInDashboard('organization', organizationId);
    const { id, key, kept } = issueKey(this.hasher);
    try {
      await this.database(this.home.table).insert({
        ...kept,
        organization_id: organizationId,
        name,
        expires_at: expiresAt,
      });
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === FOREIGN_KEY_VIOLATION) {
        throw new UnknownInDashboard('organization', organizationId);
      }
      throw error;
    }
    return { id, key };
  }

  async list(organizationId: string): Promise<readonly ListedKey[]> {
    const keys = await this.database(this.home.table)
      .where({ organization_id: organizationId })
      .orderBy('created_at')
      .orderBy('id')
      .select({
        id: 'id',
        name: 'name',
        prefix: 'key_prefix',
        createdAt: 'created_at',
        expiresAt: 'expires_at',
        revokedAt: 'revoked_at',
      });
    if (keys.length === 0 && !(await this.home.hasOrganization(this.database, organizationId)))
      throw new UnknownInDashboard('organization', organizationId);
    return keys;
  }

  /** A key that is already revoked keeps its time. */
  async revoke(id: string): Promise<void> {
    const found = await this.database(this.home.table)
      .where({ id })
      .update({ revoked_at: this.database.raw('coalesce(revoked_at, now())') });
    if (found === 0) throw new UnknownInDashboard('key', id);
  }

  /** Whether a key is valid now. */
  async isValid(key: string): Promise<boolean> {
    const row = await this.database(this.home.table)
      .where({ key_hash: this.hasher.hash(key), revoked_at: null })
      .whereRaw('(expires_at is null or expires_at > now())')
      .first('id');
    return row !== undefined;
  }
}
