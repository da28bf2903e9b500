import type { Window, WindowState } from '../model/window.js';

export type Verdict =
  | { readonly admitted: true; readonly remaining: number; readonly resetAt: number }
  | {
      readonly admitted: false;
      readonly remaining: 0;
      readonly resetAt: number;
      readonly retryAfterMs: number;
    };

export class SlidingWindow {
  constructor(readonly window: Window) {}

  judge(state: WindowState): Verdict {
    const resetAt = state.oldestAt + this.window.lengthMs;
    if (state.accepted) return { admitted: true, remaining: this.window.limit - state.count, resetAt };
    const retryAfterMs = state.blockingAt + this.window.lengthMs - state.now;
    return { admitted: false, remaining: 0, resetAt, retryAfterMs };
  }
}

/**
 * The exact sliding log that every request log implements. `times` are the accepted requests of one key, oldest first. A request leaves the
 * window `lengthMs` after it was accepted. If the clock goes back by less than a window, time stands still until the clock has caught up,
 * so that no request counts for a shorter time. If it goes back further, the old entries are dropped. A refused request changes nothing.
 */
export function recordRequest(times: number[], window: Window, clockNow: number): WindowState {
  const newest = times.at(-1) ?? clockNow;
  if (newest - clockNow >= window.lengthMs) times.length = 0;
  const now = times.length === 0 ? clockNow : Math.max(clockNow, newest);

  const firstInside = times.findIndex((time) => now - time < window.lengthMs);
  const expired = firstInside === -1 ? times.length : firstInside;
  const before = times.length - expired;
  const oldestAt = times[expired] ?? now;
  // `clockNow`, not the held time: the caller measures its wait with the actual clock.
  if (before >= window.limit) {
    const blockingAt = times[times.length - window.limit] ?? oldestAt;
    return { accepted: false, count: before, oldestAt, blockingAt, now: clockNow };
  }
  times.splice(0, expired);
  times.push(now);
  return { accepted: true, count: before + 1, oldestAt, blockingAt: oldestAt, now: clockNow };
}
