import { setTimeout as pause } from 'node:timers/promises';
import type { Tenant } from '../../support/dashboards/dashboard.js';
import type { TwoApis, Which } from '../../support/http/two-apis.js';

const EVERY_MS = 20;
/** A machine that is slower than the load receives no more requests at once. */
const MAX_AT_ONCE = 8;

/** A light, constant load on both processes, by tenants in turn, whatever the answers are. */
export class SteadyLoad {
  readonly #statuses: number[] = [];
  readonly #pending = new Set<Promise<void>>();
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

  /** The statuses of the answers since the last call, after at least this many more requests have been answered. */
  async next(count: number): Promise<readonly number[]> {
    const end = this.#statuses.length + count;
    while (this.#statuses.length < end) await pause(EVERY_MS);
    return this.#statuses.splice(0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#sending;
    await Promise.all(this.#pending);
  }

  async #send(): Promise<void> {
    for (let n = 0; !this.#stopped; n++) {
      const tenant = this.tenants[Math.floor(n / 2) % this.tenants.length] as Tenant;
      const request = this.#ask(n % 2 === 0 ? 'one' : 'other', tenant);
      this.#pending.add(request);
      request.finally(() => this.#pending.delete(request));
      await pause(EVERY_MS);
      if (this.#pending.size >= MAX_AT_ONCE) await Promise.race(this.#pending);
    }
  }

  async #ask(which: Which, tenant: Tenant): Promise<void> {
    const status = await this.apis.get(which, tenant).then(
      (answer) => answer.status,
      () => 0,
    );
    this.#statuses.push(status);
  }
}
