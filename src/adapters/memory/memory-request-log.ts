import type { ApiKey } from '../../domain/model/api-key.js';
import type { Window, WindowState } from '../../domain/model/window.js';
import { recordRequest, refusalOf } from '../../domain/policies/sliding-window.js';
import type { RequestLog } from '../../domain/ports/answering/request-log.js';
import type { Clock } from '../../domain/ports/system/clock.js';

interface KeptLog {
  readonly times: number[];
  readonly window: Window;
}

/** The request log of one process, by a clock that cannot be set. Unused keys are removed. */
export class MemoryRequestLog implements RequestLog {
  readonly #logs = new Map<string, KeptLog>();
  #nextSweepAt = 0;

  constructor(readonly clock: Clock) {}

  async record(
    key: Pick<ApiKey, 'id' | 'organizationId'>,
    window: Window,
    now = this.clock.now(),
  ): Promise<WindowState> {
    this.#removeIdleKeys(window, now);
    const name = nameOf(key);
    const times = this.#logs.get(name)?.times ?? [];
    this.#logs.set(name, { times, window });
    return recordRequest(times, window, now);
  }

  /** Null: the window has room. Records nothing. */
  refusal(key: Pick<ApiKey, 'id' | 'organizationId'>, window: Window): WindowState | null {
    const times = this.#logs.get(nameOf(key))?.times;
    return times === undefined ? null : refusalOf(times, window, this.clock.now());
  }

  /** Runs once per window, because it visits every key. */
  #removeIdleKeys({ lengthMs }: Window, now: number): void {
    if (now < this.#nextSweepAt) return;
    this.#nextSweepAt = now + lengthMs;
    for (const [name, { times, window }] of this.#logs) {
      if (now - (times.at(-1) ?? 0) >= window.lengthMs) this.#logs.delete(name);
    }
  }
}

/** Its length says where the first id ends. */
function nameOf({ id, organizationId }: Pick<ApiKey, 'id' | 'organizationId'>): string {
  return `${organizationId.length} ${organizationId}${id}`;
}
