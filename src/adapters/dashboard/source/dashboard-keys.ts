import { randomInt, randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Knex } from 'knex';
import { UnknownInDashboard } from '../../../domain/errors.js';
import type { IssuedKey, KeyManager, ListedKey } from '../../../domain/ports/dashboard/key-manager.js';
import type { KeyHasher } from '../../../domain/ports/system/key-hasher.js';
import { inlined } from '../mapping/dashboard-mapping.js';
import type { SourceReader } from './source-reader.js';

const PREFIX_LENGTH = 8;
/** In UTC on MySQL, whose sessions have that time zone. */
const NOW = 'current_timestamp(6)';

interface StoredKey {
  readonly id: string;
  readonly name: string;
  readonly key_prefix: string;
  readonly created_at: Date | string;
  readonly expires_at: Date | string | null;
  readonly revoked_at: Date | string | null;
}

/** Does the work of the dashboard's page Settings > API. */
export class DashboardKeys implements KeyManager {
  constructor(
    private readonly database: Knex,
    private readonly hasher: KeyHasher,
    private readonly reader: SourceReader,
    private readonly table: string,
  ) {}

  async create(organizationId: string, name: string, expiresAt: Date | null): Promise<IssuedKey> {
    await this.#requireOrganization(organizationId);
    const key = newKey();
    const id = `key_${randomUUID()}`;
    await this.#rows().insert({
      id,
      organization_id: organizationId,
      name,
      key_hash: this.hasher.hash(key),
      key_prefix: key.slice(0, PREFIX_LENGTH),
      expires_at: expiresAt,
    });
    return { id, key };
  }

  async list(organizationId: string): Promise<readonly ListedKey[]> {
    const rows: readonly StoredKey[] = await this.#rows()
      .where({ organization_id: organizationId })
      .orderBy(['created_at', 'id'])
      .select('id', 'name', 'key_prefix', 'created_at', 'expires_at', 'revoked_at');
    if (rows.length === 0) await this.#requireOrganization(organizationId);
    const toDate = (time: Date | string | null) => (time === null ? null : dateOf(time));
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      prefix: row.key_prefix,
      createdAt: dateOf(row.created_at),
      expiresAt: toDate(row.expires_at),
      revokedAt: toDate(row.revoked_at),
    }));
  }

  async revoke(id: string): Promise<void> {
    const revoked_at = this.database.raw(`coalesce(revoked_at, ${NOW})`);
    if ((await this.#rows().where({ id }).update({ revoked_at })) === 0)
      throw new UnknownInDashboard('key', id);
  }

  async isValid(key: string): Promise<boolean> {
    const row = await this.#rows()
      .where({ key_hash: this.hasher.hash(key), revoked_at: null })
      .whereRaw(`(expires_at is null or expires_at > ${NOW})`)
      .first('id');
    return row !== undefined;
  }

  #rows() {
    return this.database(this.table);
  }

  async #requireOrganization(id: string): Promise<void> {
    const { organizations, websites } = this.reader.mapping.selects;
    // A mapping without organizations has those of its websites.
    const ids =
      organizations === null
        ? `select organization_id as id from ${inlined(websites ?? '')} as website`
        : `select id from ${inlined(organizations)} as organization`;
    const rows = await this.reader.query(this.database, ids);
    if (!rows.some((row) => String(row.id) === id)) throw new UnknownInDashboard('organization', id);
  }
}

/** MySQL's time as text. */
function dateOf(stored: Date | string): Date {
  return stored instanceof Date ? stored : new Date(`${stored.replace(' ', 'T').slice(0, 23)}Z`);
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

/** `brk_`, 190 bits of randomness, and a checksum by which secret scanners recognize a key. */
export function newKey(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => BASE62[randomInt(BASE62.length)]).join('');
  return `brk_${random}${checksum(random)}`;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = BASE62[rest % BASE62.length] + digits;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits;
}
