import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { connect } from './connect.js';

/** "blog" in ASCII, and a number for this use. The lock is held in the database `postgres`. */
export const ownerLockKey = [0x626c6f67, 1] as const;

/** The server setting that holds the id of the process that started it. */
export const ownerSetting = 'blog_content.owner';

/**
 * Shows other runs that the server has an owner: a session-level lock on its own connection, which ends with our process however that
 * ends. The lock is taken again if the connection is lost while the server runs (PostgreSQL ends all connections when one of its processes
 * crashes).
 */
export class OwnerLock {
  private client: Client | null = null;
  private released = false;

  private constructor(private readonly url: string) {}

  static async take(url: string): Promise<OwnerLock> {
    const lock = new OwnerLock(url);
    await lock.acquire();
    return lock;
  }

  async release(): Promise<void> {
    this.released = true;
    await this.client?.end();
  }

  private async acquire(): Promise<void> {
    const client = await connect(this.url);
    try {
      await client.query('select pg_advisory_lock($1, $2)', [...ownerLockKey]);
    } catch (error) {
      await client.end();
      throw error;
    }
    if (this.released) return await client.end();
    this.client = client;
    client.once('end', () => void this.regain());
  }

  private async regain(): Promise<void> {
    this.client = null;
    while (!this.released && this.client === null) {
      await this.acquire().catch(() => sleep(200));
    }
  }
}
