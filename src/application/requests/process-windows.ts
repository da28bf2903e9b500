import type { ApiKey } from '../../domain/model/api-key.js';
import type { Window, WindowState } from '../../domain/model/window.js';
import { recordRequest, refusalOf } from '../../domain/policies/sliding-window.js';
import type { Clock } from '../../domain/ports/system/clock.js';

/** The accepted requests of one process, by key. Unused keys are removed. */
export class ProcessWindows {
  readonly #times = new Map<string, number[]>();
  #nextSweepAt = 0;

  constructor(
    private readonly window: Window,
    /** A monotonic clock. */
    private readonly clock: Clock,
  ) {}

  now(): number {
    return this.clock.now();
  }

  record(key: Pick<ApiKey, 'id' | 'organizationId'>, arrivedAt: number): WindowState {
    this.#removeIdleKeys(arrivedAt);
    const name = nameOf(key);
    let times = this.#times.get(name);
    if (times === undefined) {
      times = [];
      this.#times.set(name, times);
    }
    return recordRequest(times, this.window, arrivedAt);
  }

  /** Null: the window has room. Records nothing. */
  refusal(key: Pick<ApiKey, 'id' | 'organizationId'>): WindowState | null {
    const times = this.#times.get(nameOf(key));
    return times === undefined ? null : refusalOf(times, this.window, this.clock.now());
  }

  /** Runs once per window, because it visits every key. */
  #removeIdleKeys(now: number): void {
    if (now < this.#nextSweepAt) return;
    this.#nextSweepAt = now + this.window.lengthMs;
    for (const [name, times] of this.#times) {
      if (now - (times.at(-1) ?? 0) >= this.window.lengthMs) this.#times.delete(name);
    }
  }
}

/** The length of the first id shows where it ends. */
function nameOf({ id, organizationId }: Pick<ApiKey, 'id' | 'organizationId'>): string {
  return `${organizationId.length} ${organizationId}${id}`;
}
