import type pg from 'pg';
import { endConnection, isPooled, openConnection } from '../../sql/postgres/open-database.js';
import { RAISED_CHANNEL } from '../read-tables.js';

const TIMEOUT_MS = 1_000;

/** Says at once that generations were raised; without it, the next look finds them. */
export class RaiseListener {
  #session: pg.Client | null = null;
  /** A pooler passes notifications to any of its clients. */
  #isPooled = false;

  constructor(private readonly url: string) {}

  /** To be called repeatedly: opens the connection again after it was lost. */
  async listen(notify: () => void): Promise<void> {
    if (this.#isPooled) return;
    try {
      if (this.#session === null) await this.#open(notify);
      // Each time, because a broken connection may be silent.
      if (this.#isPooled) this.close();
      else await this.#session?.query(`listen ${RAISED_CHANNEL}`);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  async #open(notify: () => void): Promise<void> {
    this.#session = await openConnection(this.url, 'blog-read-api listener', TIMEOUT_MS);
    this.#session.on('notification', notify);
    this.#isPooled = await isPooled(this.#session);
  }

  close(): void {
    if (this.#session !== null) endConnection(this.#session);
    this.#session = null;
  }
}
