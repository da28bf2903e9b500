import { setTimeout as pause } from 'node:timers/promises';
import type { Client, Company } from '../chaos.js';
import type { ApiCaller } from '../observed-api.js';

const LIVES_MS = 4_000;
const ASK_EVERY_MS = 50;
const KEPT = 20;

interface ExpiringKey {
  readonly caller: ApiCaller;
  /** By the clock that the processes share with this one. */
  readonly expiresAt: number;
}

/** Uses keys until they expire and long after: whatever happens to any server, no process accepts an expired key. */
export class ExpiringKeys implements Client {
  #keys: ExpiringKey[] = [];
  /** How often a key was tried after it had expired. */
  tried = 0;

  constructor(
    private readonly company: Company,
    private readonly organizationId: string,
  ) {}

  async use(stopping: AbortSignal): Promise<void> {
    let next = 0;
    for (let n = 0; !stopping.aborted; n++) {
      if (Date.now() >= next) {
        next = Date.now() + LIVES_MS / 2;
        const expiresAt = Date.now() + LIVES_MS;
        const caller = await this.company.traffic.createKey(this.organizationId, expiresAt);
        this.#keys = [{ caller, expiresAt }, ...this.#keys].slice(0, KEPT);
      }
      await pause(ASK_EVERY_MS);
      // The newest key every other time: a key that was never used while it was valid tests less.
      const key = this.#keys[n % 2 === 0 ? 0 : (n >> 1) % this.#keys.length];
      if (key !== undefined) await this.#try(key);
    }
  }

  async #try({ caller, expiresAt }: ExpiringKey): Promise<void> {
    for (const api of this.company.installation.apis) {
      const late = Date.now() - expiresAt;
      const answer = await api.get(caller, '/api/v1/blogs');
      if (late < 0 || answer === null) continue;
      this.tried++;
      if (answer.status === 401) continue;
      this.company.findings.add(
        `${api.name} answered the holder of a key with ${answer.status}, ${late} ms after it expired`,
      );
    }
  }
}
