import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Dashboard, Tenant } from '../../support/dashboards/dashboard.js';
import { type ReceivedAnswer, sendRequest } from '../../support/http/send-request.js';

const ASK_EVERY_MS = 3;
/** The worker's poll interval, so that commits are spread over the whole interval. */
const SPREAD_MS = 100;
const TIMEOUT_MS = 30_000;
/** Enough for hundreds of thousands of rows. */
const MOVED_WITHIN_MS = 600_000;
const ASK_FOR_MANY_EVERY_MS = 500;

/**
 * The milliseconds from commits in the dashboard to answers of the API that show them, although the cache has the old
 * answer.
 */
export class Visibility {
  constructor(
    private readonly dashboard: Dashboard,
    private readonly write: pg.Client,
    private readonly address: string,
  ) {}

  async ofEdits(count: number): Promise<readonly number[]> {
    const { key, blogId } = this.dashboard.tenant();
    const get = () => this.#get(`/api/v1/blogs/${blogId}`, key);
    const taken: number[] = [];
    for (let n = 0; n < count; n++) {
      const title = `Edit ${n}.`;
      await until(async () => (await get()).headers['x-cache'] === 'HIT');
      await pause(Math.random() * SPREAD_MS);
      await this.write.query('update blogs set title = $1 where id = $2', [title, blogId]);
      taken.push(await until(async () => (await get()).text.includes(title)));
    }
    return taken;
  }

  async ofRevocations(count: number): Promise<readonly number[]> {
    const taken: number[] = [];
    for (let n = 0; n < count; n++) {
      const { key, keyId } = this.dashboard.tenant();
      const get = () => this.#get('/api/v1/blogs', key);
      await until(async () => (await get()).headers['x-cache'] === 'HIT');
      await pause(Math.random() * SPREAD_MS);
      await this.write.query('update api_keys set revoked_at = now() where id = $1', [keyId]);
      taken.push(await until(async () => (await get()).status === 401));
    }
    return taken;
  }

  /**
   * Moves a large website to another organization and back, and waits until its former owner's key, which has read
   * it, sees none of it.
   */
  async ofMoves(website: string, count: number): Promise<readonly number[]> {
    const [owner, other] = [this.dashboard.tenant(), this.dashboard.tenant()];
    const path = `/api/v1/blogs?limit=1&website_id=${website}`;
    const totalFor = async ({ key }: Tenant) =>
      JSON.parse((await this.#get(path, key)).text).pagination?.total;
    const give = ({ organizationId }: Tenant) =>
      this.write.query('update websites set organization_id = $1 where id = $2', [organizationId, website]);
    await give(owner);
    const { rows } = await this.write.query('select count(*)::int as all from blogs where website_id = $1', [
      website,
    ]);
    const taken: number[] = [];
    for (let n = 0; n < count; n++) {
      const [from, to] = n % 2 === 0 ? [owner, other] : [other, owner];
      await until(async () => (await totalFor(from)) === rows[0].all, ASK_FOR_MANY_EVERY_MS, MOVED_WITHIN_MS);
      await pause(Math.random() * SPREAD_MS);
      await give(to);
      taken.push(await until(async () => (await totalFor(from)) === 0));
    }
    return taken;
  }

  #get(path: string, key: string): Promise<ReceivedAnswer> {
    return sendRequest(this.address, path, { 'X-API-Key': key });
  }
}

/** Waits until the condition holds, and returns the milliseconds. */
export async function until(
  isSo: () => Promise<boolean>,
  askEveryMs = ASK_EVERY_MS,
  withinMs = TIMEOUT_MS,
): Promise<number> {
  const begin = performance.now();
  while (!(await isSo())) {
    if (performance.now() - begin > withinMs) throw new Error(`Not fulfilled within ${withinMs} ms: ${isSo}`);
    await pause(askEveryMs);
  }
  return performance.now() - begin;
}
