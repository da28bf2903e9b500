import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Tenant } from '../../support/dashboards/dashboard.js';
import type { DashboardDatabase } from './dashboard-database.js';
import type { ApiCaller } from './observed-api.js';

/** Identifies such a key in a log. */
export const START_OF_HELD_KEY = 'key-held-';
/** Long enough that the next edit does not immediately hide that a client missed one. */
const EDIT_EVERY_MS = 150;
/** Every so many edits, one changes all blogs in one transaction. */
const BULK_EVERY = 20;

/** Users of the dashboard. Each repeats a change until it is committed. */
export class DashboardTraffic {
  #edits = 0;
  #rest: Promise<void> = Promise.resolve();

  private constructor(
    private readonly database: DashboardDatabase,
    private readonly tenants: readonly Tenant[],
  ) {}

  static async begin(database: DashboardDatabase, tenants: readonly Tenant[]): Promise<DashboardTraffic> {
    const traffic = new DashboardTraffic(database, tenants);
    await traffic.#editAll();
    return traffic;
  }

  /** Stops all changes until `end` resolves. */
  restUntil(end: Promise<void>): void {
    this.#rest = end;
  }

  /** The newest edit of each blog in the dashboard. A database that failed over may have lost later ones. */
  async newestEdits(): Promise<ReadonlyMap<string, number>> {
    const blogs = await this.database.query<{ id: string; title: string }>('select id, title from blogs');
    return new Map(blogs.map(({ id, title }) => [id, editShown(title)]));
  }

  /** The keys that exist in the dashboard and are neither revoked nor expired. */
  async live(callers: readonly ApiCaller[]): Promise<ReadonlySet<string>> {
    const keys = await this.database.query<{ id: string }>(
      'select id from api_keys where revoked_at is null and (expires_at is null or expires_at > now())',
    );
    const ids = new Set(keys.map(({ id }) => id));
    return new Set(callers.map(({ key }) => key).filter((key) => ids.has(idOf(key))));
  }

  /** A change by another editor: one statement that can safely be repeated. */
  async change(sql: string, values: readonly unknown[]): Promise<void> {
    await this.#rest;
    await this.database.query(sql, values);
  }

  async edit(stopping: AbortSignal): Promise<void> {
    for (let n = 0; !stopping.aborted; n++) {
      await this.#rest;
      const tenant = this.tenants[n % this.tenants.length];
      await (tenant === undefined || n % BULK_EVERY === 0 ? this.#editAll() : this.#editOne(tenant));
      await pause(EDIT_EVERY_MS);
    }
  }

  /** `expiresAt` is in milliseconds since 1970. */
  async createKey(organizationId: string, expiresAt: number | null = null): Promise<ApiCaller> {
    const key = `${START_OF_HELD_KEY}${randomBytes(12).toString('hex')}`;
    const hash = createHash('sha256').update(key).digest('hex');
    await this.#rest;
    await this.database.insertKey(
      idOf(key),
      organizationId,
      hash,
      expiresAt === null ? null : new Date(expiresAt),
    );
    return { organizationId, key };
  }

  /** Calls `begins` when others may already see the revocation. */
  async revoke(key: string, begins: () => void): Promise<void> {
    await this.#rest;
    begins();
    await this.database.query('update api_keys set revoked_at = coalesce(revoked_at, now()) where id = $1', [
      idOf(key),
    ]);
  }

  async #editOne(tenant: Tenant): Promise<void> {
    await this.#retitle([tenant]);
  }

  async #editAll(): Promise<void> {
    await this.#retitle(this.tenants);
  }

  async #retitle(tenants: readonly Tenant[]): Promise<void> {
    const edit = ++this.#edits;
    const blogs = tenants.map((_, n) => `$${n + 1}`);
    await this.database.query(
      `update blogs set title = concat('canary of ', (select organization_id from websites where websites.id = website_id), '; edit ${edit}')
       where id in (${blogs})`,
      tenants.map(({ blogId }) => blogId),
    );
  }
}

function idOf(key: string): string {
  return `id of ${createHash('md5').update(key).digest('hex')}`;
}

/** The number of the edit that an answer shows; 0 if it shows none. */
export function editShown(text: string): number {
  return Number(/; edit (\d+)/.exec(text)?.[1] ?? 0);
}
