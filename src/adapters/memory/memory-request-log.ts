import type { ApiKey } from '../../domain/model/api-key.js';
import type { Window, WindowState } from '../../domain/model/window.js';
import { recordRequest } from '../../domain/policies/sliding-window.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { RequestLog } from '../../domain/ports/request-log.js';

interface KeptLog {
  readonly times: number[];
  readonly window: Window;
}

/** For one process. A key that has not been used for a whole window is forgotten by a later request's sweep. */
export class MemoryRequestLog implements RequestLog {
  readonly #logs = new Map<string, KeptLog>();
  #nextSweepAt = 0;

  constructor(private readonly clock: Clock) {}

  async record({ id }: Pick<ApiKey, 'id'>, window: Window): Promise<WindowState> {
    const now = this.clock.now();
    this.#forgetIdleKeys(window, now);
    const times = this.#logs.get(id)?.times ?? [];
    this.#logs.set(id, { times, window });
    return recordRequest(times, window, now);
  }

  /** Once a window: a sweep looks at every key. */
  #forgetIdleKeys({ lengthMs }: Window, now: number): void {
    if (now < this.#nextSweepAt) return;
    this.#nextSweepAt = now + lengthMs;
    for (const [keyId, { times, window }] of this.#logs) {
      if (now - (times.at(-1) ?? 0) >= window.lengthMs) this.#logs.delete(keyId);
    }
  }
}
