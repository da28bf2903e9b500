import type { ApiKey } from '../../domain/model/api-key.js';
import type { Window, WindowState } from '../../domain/model/window.js';
import { recordRequest } from '../../domain/policies/sliding-window.js';
import type { RequestLog } from '../../domain/ports/answering/request-log.js';
import type { Clock } from '../../domain/ports/system/clock.js';

/** Keeps all requests. */
export class MemoryRequestLog implements RequestLog {
  readonly #times = new Map<string, number[]>();

  constructor(private readonly clock: Clock) {}

  async record(
    { id, organizationId }: Pick<ApiKey, 'id' | 'organizationId'>,
    window: Window,
  ): Promise<WindowState> {
    const name = JSON.stringify([organizationId, id]);
    const times = this.#times.get(name) ?? [];
    this.#times.set(name, times);
    return recordRequest(times, window, this.clock.now());
  }
}
