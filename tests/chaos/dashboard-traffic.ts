import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Dashboard, Tenant } from '../support/dashboard.js';
import type { ApiCaller } from './observed-api.js';

/** By which such a key is found in a log. */
export const START_OF_HELD_KEY = 'key-held-';
/** Rarely enough for the next edit not to hide at once that a client was shown one too few. */
const EDIT_EVERY_MS = 150;
/** So often all blogs change in one transaction. */
const BULK_EVERY = 20;

/** The people at the dashboard: one connection that nobody breaks, so that each knows what was committed. */
export class DashboardTraffic {
  readonly #connection: pg.Pool;
  #edits = 0;
  #newestEdits = new Map<string, number>();
  #rest: Promise<void> = Promise.resolve();

  private constructor(
    dashboard: Dashboard,
    private readonly tenants: readonly Tenant[],
  ) {
    this.#connection = new pg.Pool({ connectionString: dashboard.writeDatabaseUrl, max: 1 });
  }

  static async begin(dashboard: Dashboard, tenants: readonly Tenant[]): Promise<DashboardTraffic> {
    const traffic = new DashboardTraffic(dashboard, tenants);
    await traffic.#editAll();
    return traffic;
  }

  /** Nothing changes before that ends. */
  restUntil(end: Promise<void>): void {
    this.#rest = end;
  }

  /** Of the tenant's blog. */
  newestEdit({ blogId }: Tenant): number {
    return this.#newestEdits.get(blogId) ?? 0;
  }

  async edit(stopping: AbortSignal): Promise<void> {
    for (let n = 0; !stopping.aborted; n++) {
      await this.#rest;
      const tenant = this.tenants[n % this.tenants.length];
      await (tenant === undefined || n % BULK_EVERY === 0 ? this.#editAll() : this.#editOne(tenant));
      await pause(EDIT_EVERY_MS);
    }
  }

  async createKey(organizationId: string): Promise<ApiCaller> {
    await this.#rest;
    const key = `${START_OF_HELD_KEY}${randomBytes(12).toString('hex')}`;
    await this.#connection.query('insert into api_keys (id, organization_id, key_hash) values ($1, $2, $3)', [
      idOf(key),
      organizationId,
      createHash('sha256').update(key).digest('hex'),
    ]);
    return { organizationId, key };
  }

  /** `begins` is called when it may already be seen by others. */
  async revoke(key: string, begins: () => void): Promise<void> {
    await this.#rest;
    begins();
    await this.#connection.query('update api_keys set revoked_at = now() where id = $1', [idOf(key)]);
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
    for (const { blogId } of tenants) this.#newestEdits.set(blogId, edit);
  }
}

function idOf(key: string): string {
  return `id of ${createHash('md5').update(key).digest('hex')}`;
}

/** The number of the edit that an answer shows; 0 for none. */
export function editShown(text: string): number {
  return Number(/; edit (\d+)/.exec(text)?.[1] ?? 0);
}
