import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Troubles } from './troubles.js';

const POLL_MS = 100;
/** A third of the time that an API waits for a connection, and less than it waits for an answer. */
const STALLED_MS = 300;

/**
 * Notes when the read database is slow without a fault because the computer is overloaded: an API may then return 500 as if it
 * had failed.
 */
export class StallWatch {
  readonly #pool: pg.Pool;

  constructor(
    url: string,
    private readonly troubles: Troubles,
  ) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max: 1,
      // An API without Redis opens more connections, and opening one takes longest.
      maxUses: 1,
      connectionTimeoutMillis: 2_000,
      query_timeout: 2_000,
    });
    this.#pool.on('error', () => {});
  }

  async use(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      const askedAt = performance.now();
      await pause(POLL_MS);
      await this.#pool.query('select').catch(() => {});
      const answeredAt = performance.now();
      if (answeredAt - askedAt < POLL_MS + STALLED_MS) continue;
      this.troubles.note('read database', 'slow, and not broken', askedAt, answeredAt);
    }
    await this.#pool.end();
  }
}
