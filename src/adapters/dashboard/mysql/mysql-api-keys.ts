import type { Knex } from 'knex';
import type { KeyHasher } from '../../../domain/ports/key-hasher.js';
import { issueKey, type ListedKey, UnknownInDashboard } from '../issued-key.js';
import { queryRows } from './query-rows.js';
import { text } from './quoted.js';

/** The only place that ever holds a key, until it is shown. Times in the table are UTC. */
export class MysqlApiKeys {
  /** `organizations`: a select for the ids of the existing organizations. */
  constructor(
    private readonly database: Knex,
    private readonly table: string,
    private readonly organizations: string,
    private readonly hasher: KeyHasher,
  ) {}

  async create(
    organizationId: string,
    name: string,
    expiresAt: Date | null,
  ): Promise<{ id: string; key: string }> {
    await this.#requireOrganization(organizationId);
    const { id, key, kept } = issueKey(this.hasher);
    await this.database(this.table).insert({
      ...kept,
      organization_id: organizationId,
      name,
      expires_at: expiresAt === null ? null : expiresAt.toISOString().slice(0, -1).replace('T', ' '),
    });
    return { id, key };
  }

  async list(organizationId: string): Promise<readonly ListedKey[]> {
    const rows = await queryRows<Record<string, string>>(
      this.database,
      `select id, name, key_prefix, created_at, expires_at, revoked_at from ${this.table}
       where organization_id = ${text(organizationId)} order by created_at, id`,
    );
    if (rows.length === 0) await this.#requireOrganization(organizationId);
    return rows.map(({ id = '', name = '', key_prefix: prefix = '', ...times }) => ({
      id,
      name,
      prefix,
      createdAt: toDate(times.created_at) ?? new Date(0),
      expiresAt: toDate(times.expires_at),
      revokedAt: toDate(times.revoked_at),
    }));
  }

  /** A key that is already revoked keeps its time. */
  async revoke(id: string): Promise<void> {
    const [found] = await queryRows(this.database, `select id from ${this.table} where id = ${text(id)}`);
    if (found === undefined) throw new UnknownInDashboard('key', id);
    await this.database.raw(
      `update ${this.table} set revoked_at = coalesce(revoked_at, utc_timestamp(6)) where id = ${text(id)}`,
    );
  }

  async #requireOrganization(id: string): Promise<void> {
    const rows = await queryRows<{ id: string }>(
      this.database,
      `select id from (${this.organizations}) as known where id = ${text(id)}`,
    );
    if (rows.some((row) => row.id === id)) return;
    throw new UnknownInDashboard('organization', id);
  }
}

function toDate(time: string | null | undefined): Date | null {
  return time === null || time === undefined ? null : new Date(`${time.replace(' ', 'T').slice(0, 23)}Z`);
}
