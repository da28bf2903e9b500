import { setTimeout as pause } from 'node:timers/promises';
import type { Tenant } from './dashboard.js';
import type { TwoApis, Which } from './two-apis.js';

const EVERY_MS = 20;

interface Taken {
  readonly status: number;
  readonly milliseconds: number;
}

/** A light, constant load on both processes, by tenants in turn, whatever becomes of the answers. */
export class SteadyLoad {
  readonly #taken: Taken[] = [];
  readonly #underway = new Set<Promise<void>>();
  #stopped = false;
  #sending: Promise<void> = Promise.resolve();

  private constructor(
    private readonly apis: TwoApis,
    private readonly tenants: readonly Tenant[],
  ) {}

  static start(apis: TwoApis, tenants: readonly Tenant[]): SteadyLoad {
    const load = new SteadyLoad(apis, tenants);
    load.#sending = load.#send();
    return load;
  }

  /** The answers that came since this was asked last, after at least so many more requests have been answered. */
  async next(count: number): Promise<readonly Taken[]> {
    const end = this.#taken.length + count;
    while (this.#taken.length < end) await pause(EVERY_MS);
    return this.#taken.splice(0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#sending;
    await Promise.all(this.#underway);
  }

  async #send(): Promise<void> {
    for (let n = 0; !this.#stopped; n++) {
      const tenant = this.tenants[Math.floor(n / 2) % this.tenants.length] as Tenant;
      const request = this.#time(n % 2 === 0 ? 'one' : 'other', tenant);
      this.#underway.add(request);
      request.finally(() => this.#underway.delete(request));
      await pause(EVERY_MS);
    }
  }

  async #time(which: Which, tenant: Tenant): Promise<void> {
    const begin = performance.now();
    const status = await this.apis.get(which, tenant).then(
      (answer) => answer.status,
      () => 0,
    );
    this.#taken.push({ status, milliseconds: performance.now() - begin });
  }
}

export function statusesOf(taken: readonly Taken[]): number[] {
  return [...new Set(taken.map(({ status }) => status))];
}

export function median(taken: readonly Taken[]): number {
  const sorted = taken.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

export function slowest(taken: readonly Taken[]): number {
  return Math.max(...taken.map(({ milliseconds }) => milliseconds));
}
