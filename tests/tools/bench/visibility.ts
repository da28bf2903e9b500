import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Dashboard } from '../../support/dashboards/dashboard.js';
import { type ReceivedAnswer, sendRequest } from '../../support/http/send-request.js';

const ASK_EVERY_MS = 3;
/** The worker's poll interval, so that commits are spread over the whole interval. */
const SPREAD_MS = 100;
const TIMEOUT_MS = 30_000;

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

  #get(path: string, key: string): Promise<ReceivedAnswer> {
    return sendRequest(this.address, path, { 'X-API-Key': key });
  }
}

/** Waits until the condition holds, and returns the milliseconds. */
export async function until(isSo: () => Promise<boolean>, askEveryMs = ASK_EVERY_MS): Promise<number> {
  const begin = performance.now();
  while (!(await isSo())) {
    if (performance.now() - begin > TIMEOUT_MS)
      throw new Error(`Not fulfilled within ${TIMEOUT_MS} ms: ${isSo}`);
    await pause(askEveryMs);
  }
  return performance.now() - begin;
}
