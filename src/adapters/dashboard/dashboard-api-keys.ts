import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { KeyHasher } from '../../domain/ports/key-hasher.js';
import { newKey } from './new-key.js';

const PREFIX_LENGTH = 8;
const FOREIGN_KEY_VIOLATION = '23503';

export interface ListedKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** What the dashboard's page Settings > API does: the one place that ever holds a key, for as long as it takes to show it. */
export class DashboardApiKeys {
  constructor(
    private readonly database: Knex,
    private readonly hasher: KeyHasher,
  ) {}

  async create(
    organizationId: string,
    name: string,
    expiresAt: Date | null,
  ): Promise<{ id: string; key: string }> {
    const key = newKey();
    const id = `key_${randomUUID()}`;
    try {
      await this.database('api_keys').insert({
        id,
        organization_id: organizationId,
        name,
        key_hash: this.hasher.hash(key),
        key_prefix: key.slice(0, PREFIX_LENGTH),
        expires_at: expiresAt,
      });
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === FOREIGN_KEY_VIOLATION) {
        throw unknownOrganization(organizationId);
      }
      throw error;
    }
    return { id, key };
  }

  async list(organizationId: string): Promise<readonly ListedKey[]> {
    const keys = await this.database('api_keys')
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
    if (keys.length === 0) {
      const organization = await this.database('organizations').where({ id: organizationId }).first('id');
      if (organization === undefined) throw unknownOrganization(organizationId);
    }
    return keys;
  }

  /** A key that is revoked already stays as it is. */
  async revoke(id: string): Promise<void> {
    const found = await this.database('api_keys')
      .where({ id })
      .update({ revoked_at: this.database.raw('coalesce(revoked_at, now())') });
    if (found === 0) throw new UnknownInDashboard(`There is no key "${id}" in the dashboard's database.`);
  }

  /** Whether a key opens anything now. */
  async isValid(key: string): Promise<boolean> {
    const row = await this.database('api_keys')
      .where({ key_hash: this.hasher.hash(key), revoked_at: null })
      .whereRaw('(expires_at is null or expires_at > now())')
      .first('id');
    return row !== undefined;
  }
}

/** A mistake of whoever gave the command, in words for them. */
export class UnknownInDashboard extends Error {
  override readonly name = 'UnknownInDashboard';
}

function unknownOrganization(id: string): UnknownInDashboard {
  return new UnknownInDashboard(`There is no organization "${id}" in the dashboard's database.`);
}
