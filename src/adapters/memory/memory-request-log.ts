import type { ApiKey } from '../../domain/model/api-key.js';
import type { Window, WindowState } from '../../domain/model/window.js';
import { recordRequest } from '../../domain/policies/sliding-window.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { RequestLog } from '../../domain/ports/request-log.js';

interface KeptLog {
  readonly times: number[];
  readonly window: Window;
}

/** The request log of a single process. A later request removes keys that were not used for a whole window. */
export class MemoryRequestLog implements RequestLog {
  readonly #logs = new Map<string, KeptLog>();
  #nextSweepAt = 0;

  constructor(private readonly clock: Clock) {}

  async record({ id }: Pick<ApiKey, 'id'>, window: Window): Promise<WindowState> {
    const now = this.clock.now();
    this.#removeIdleKeys(window, now);
    const times = this.#logs.get(id)?.times ?? [];
    this.#logs.set(id, { times, window });
    return recordRequest(times, window, now);
  }

  /** Runs once per window, because it visits every key. */
  #removeIdleKeys({ lengthMs }: Window, now: number): void {
    if (now < this.#nextSweepAt) return;
    this.#nextSweepAt = now + lengthMs;
    for (const [keyId, { times, window }] of this.#logs) {
      if (now - (times.at(-1) ?? 0) >= window.lengthMs) this.#logs.delete(keyId);
    }
  }
}
