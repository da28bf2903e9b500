import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Dashboard, Tenant } from '../support/dashboards/dashboard.js';
import type { ApiCaller } from './observed-api.js';
import { RetryingDatabase } from './retrying-database.js';

/** Identifies such a key in a log. */
export const START_OF_HELD_KEY = 'key-held-';
/** Long enough that the next edit does not immediately hide that a client missed one. */
const EDIT_EVERY_MS = 150;
/** Every so many edits, one changes all blogs in one transaction. */
const BULK_EVERY = 20;

/** Users of the dashboard. Each repeats a change until it is committed. */
export class DashboardTraffic {
  readonly #connection: RetryingDatabase;
  #edits = 0;
  #rest: Promise<void> = Promise.resolve();

  private constructor(
    dashboard: Pick<Dashboard, 'writeDatabaseUrl'>,
    private readonly tenants: readonly Tenant[],
  ) {
    this.#connection = new RetryingDatabase(dashboard.writeDatabaseUrl);
  }

  static async begin(
    dashboard: Pick<Dashboard, 'writeDatabaseUrl'>,
    tenants: readonly Tenant[],
  ): Promise<DashboardTraffic> {
    const traffic = new DashboardTraffic(dashboard, tenants);
    await traffic.#editAll();
    return traffic;
  }

  /** Stops all changes until `end` resolves. */
  restUntil(end: Promise<void>): void {
    this.#rest = end;
  }

  /** The newest edit of each blog in the dashboard. A database that failed over may have lost later ones. */
  async newestEdits(): Promise<ReadonlyMap<string, number>> {
    const blogs = await this.#connection.query<{ id: string; title: string }>('select id, title from blogs');
    return new Map(blogs.map(({ id, title }) => [id, editShown(title)]));
  }

  /** The keys that exist in the dashboard and are neither revoked nor expired. */
  async live(callers: readonly ApiCaller[]): Promise<ReadonlySet<string>> {
    const keys = await this.#connection.query<{ id: string }>(
      'select id from api_keys where revoked_at is null and (expires_at is null or expires_at > now()) and id = any($1)',
      [callers.map(({ key }) => idOf(key))],
    );
    const ids = new Set(keys.map(({ id }) => id));
    return new Set(callers.map(({ key }) => key).filter((key) => ids.has(idOf(key))));
  }

  /** A change by another editor: one statement that can safely be repeated. */
  async change(sql: string, values: readonly unknown[]): Promise<void> {
    await this.#rest;
    await this.#connection.query(sql, values);
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
    await this.change(
      `insert into api_keys (id, organization_id, key_hash, expires_at) values ($1, $2, $3, to_timestamp($4::float8 / 1000))
       on conflict (id) do nothing`,
      [idOf(key), organizationId, createHash('sha256').update(key).digest('hex'), expiresAt],
    );
    return { organizationId, key };
  }

  /** Calls `begins` when others may already see the revocation. */
  async revoke(key: string, begins: () => void): Promise<void> {
    await this.#rest;
    begins();
    await this.#connection.query(
      'update api_keys set revoked_at = coalesce(revoked_at, now()) where id = $1',
      [idOf(key)],
    );
  }

  async end(): Promise<void> {
    await this.#connection.end();
  }

  async #editOne(tenant: Tenant): Promise<void> {
    await this.#retitle([tenant]);
  }

  async #editAll(): Promise<void> {
    await this.#retitle(this.tenants);
  }

  async #retitle(tenants: readonly Tenant[]): Promise<void> {
    const edit = ++this.#edits;
    await this.#connection.query(
      `update blogs set title = 'canary of ' || organization_id || '; edit ' || $1::int
       from websites where websites.id = website_id and blogs.id = any($2)`,
      [edit, tenants.map(({ blogId }) => blogId)],
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
