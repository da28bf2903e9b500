import type { ApiKey } from '../../domain/model/api-key.js';
import type { Window, WindowState } from '../../domain/model/window.js';
import { judge, type Verdict } from '../../domain/policies/sliding-window.js';
import type { RequestLog } from '../../domain/ports/answering/request-log.js';
import type { ProcessWindows } from './process-windows.js';

/**
 * A request needs room in the window of this process and in the one that all processes share. The
 * first has every request that this process admitted, so no process accepts more than the limit,
 * whatever the shared log loses.
 */
export class RateLimit {
  constructor(
    private readonly ofProcess: ProcessWindows,
    private readonly shared: RequestLog,
    private readonly window: Window,
  ) {}

  async limit(key: Pick<ApiKey, 'id' | 'organizationId'>): Promise<Verdict> {
    const arrivedAt = this.ofProcess.now();
    const refusal = this.ofProcess.refusal(key);
    if (refusal !== null) return this.#refuse(refusal);
    const shared = await this.shared.record(key, this.window);
    if (shared?.accepted === false) return judge(shared, this.window);
    // Recorded last: the shared log may lose its data while several requests wait for it.
    const state = this.ofProcess.record(key, arrivedAt);
    const isFuller = shared === null || !state.accepted || state.count > shared.count;
    if (!isFuller) return judge(shared, this.window);
    return state.accepted ? judge(state, this.window) : this.#refuse(state);
  }

  /** The shared log may have the blocking request at a later time than this process. */
  #refuse(refusal: WindowState): Verdict {
    const verdict = judge(refusal, this.window);
    if (verdict.admitted) return verdict;
    return { ...verdict, retryAfterMs: verdict.retryAfterMs + (this.shared.recordsWithinMs ?? 0) };
  }
}
