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
 * The exact sliding log that every request log keeps, on `times`, the accepted requests of one key, oldest first. A request
 * leaves the window `lengthMs` after it came. A clock that steps back by less than a window stands still until it has caught
 * up, so that no request counts for less than its time; one that steps back further has nothing to do with the old entries.
 * A refused request changes nothing.
 */
export function recordRequest(times: number[], window: Window, clockNow: number): WindowState {
  const newest = times.at(-1) ?? clockNow;
  if (newest - clockNow >= window.lengthMs) times.length = 0;
  const now = times.length === 0 ? clockNow : Math.max(clockNow, newest);

  const firstInside = times.findIndex((time) => now - time < window.lengthMs);
  const gone = firstInside === -1 ? times.length : firstInside;
  const before = times.length - gone;
  const oldestAt = times[gone] ?? now;
  // Not the time at which the clock is held: whoever has to wait, waits by the clock as it is.
  if (before >= window.limit) {
    const blockingAt = times[times.length - window.limit] ?? oldestAt;
    return { accepted: false, count: before, oldestAt, blockingAt, now: clockNow };
  }
  times.splice(0, gone);
  times.push(now);
  return { accepted: true, count: before + 1, oldestAt, blockingAt: oldestAt, now: clockNow };
}
