import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Tenant } from '../../support/dashboards/dashboard.js';
import type { ApiCaller } from './observed-api.js';

/** Identifies such a key in a log. */
export const START_OF_HELD_KEY = 'key-held-';
/** Long enough that the next edit does not immediately hide that a client missed one. */
const EDIT_EVERY_MS = 150;
/** Every so many edits, one changes all blogs in one transaction. */
const BULK_EVERY = 20;
const TIMEOUT_MS = 60_000;
const TRY_AGAIN_MS = 50;
/** A server that died during a statement never answers it. */
const STATEMENT_MS = 15_000;
/** Classes of SQLSTATE: connections, operator intervention, a server that starts, a deadlock. */
const PASSES = /^(08|57P|55P03|40P01)/;

/** Users of the dashboard. Each repeats a change until it is committed, so every statement is safe to repeat. */
export class DashboardTraffic {
  readonly #pool: pg.Pool;
  #edits = 0;
  #rest: Promise<void> = Promise.resolve();

  private constructor(
    connectionString: string,
    private readonly tenants: readonly Tenant[],
  ) {
    const connectionTimeoutMillis = STATEMENT_MS;
    this.#pool = new pg.Pool({
      connectionString,
      max: 1,
      query_timeout: STATEMENT_MS,
      connectionTimeoutMillis,
    });
    // The next query receives the error.
    this.#pool.on('error', () => {});
  }

  static async begin(writeDatabaseUrl: string, tenants: readonly Tenant[]): Promise<DashboardTraffic> {
    const traffic = new DashboardTraffic(writeDatabaseUrl, tenants);
    await traffic.#editAll();
    return traffic;
  }

  /** Stops all changes until `end` resolves. */
  restUntil(end: Promise<void>): void {
    this.#rest = end;
  }

  /** The newest edit of each blog. */
  async newestEdits(): Promise<ReadonlyMap<string, number>> {
    const blogs = await this.#query<{ id: string; title: string }>('select id, title from blogs');
    return new Map(blogs.map(({ id, title }) => [id, editShown(title)]));
  }

  /** The number of queued changes of each kind. */
  waitingChanges(): Promise<unknown> {
    return this.#query('select kind, count(*) as changes from content_sync.change_queue group by kind');
  }

  async edit(stopping: AbortSignal): Promise<void> {
    for (let n = 0; !stopping.aborted; n++) {
      await this.#rest;
      const tenant = this.tenants[n % this.tenants.length];
      await (tenant === undefined || n % BULK_EVERY === 0 ? this.#editAll() : this.#retitle([tenant]));
      await pause(EDIT_EVERY_MS);
    }
  }

  /** An edit by another user. */
  async entitle({ blogId }: Tenant, title: string): Promise<void> {
    await this.#rest;
    await this.#query('update blogs set title = $1 where id = $2', [title, blogId]);
  }

  async createKey(organizationId: string): Promise<ApiCaller> {
    const key = `${START_OF_HELD_KEY}${randomBytes(12).toString('hex')}`;
    const hash = createHash('sha256').update(key).digest('hex');
    await this.#rest;
    await this.#query(
      'insert into api_keys (id, organization_id, key_hash) values ($1, $2, $3) on conflict (id) do nothing',
      [idOf(key), organizationId, hash],
    );
    return { organizationId, key };
  }

  /** Calls `begins` when others may already see the revocation. */
  async revoke(key: string, begins: () => void): Promise<void> {
    await this.#rest;
    begins();
    await this.#query('update api_keys set revoked_at = coalesce(revoked_at, now()) where id = $1', [
      idOf(key),
    ]);
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }

  async #editAll(): Promise<void> {
    await this.#retitle(this.tenants);
  }

  async #retitle(tenants: readonly Tenant[]): Promise<void> {
    const edit = ++this.#edits;
    await this.#query(
      `update blogs set title = 'canary of ' || (select organization_id from websites where websites.id = website_id) || '; edit ${edit}'
       where id = any($1)`,
      [tenants.map(({ blogId }) => blogId)],
    );
  }

  async #query<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const deadline = performance.now() + TIMEOUT_MS;
    for (;;) {
      try {
        return (await this.#pool.query<Row>(sql, [...values])).rows;
      } catch (error) {
        if (!mayPass(error) || performance.now() > deadline) throw error;
      }
      await pause(TRY_AGAIN_MS);
    }
  }
}

/** An error without SQLSTATE does not come from a server: the connection broke. */
function mayPass(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return !/^[0-9A-Z]{5}$/.test(code) || PASSES.test(code);
}

function idOf(key: string): string {
  return `id of ${createHash('md5').update(key).digest('hex')}`;
}

/** The number of the edit that an answer shows; 0 if it shows none. */
export function editShown(text: string): number {
  return Number(/; edit (\d+)/.exec(text)?.[1] ?? 0);
}
