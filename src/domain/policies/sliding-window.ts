import type { Window, WindowState } from '../model/window.js';

export type Verdict =
  | { readonly admitted: true; readonly remaining: number; readonly resetAt: number }
  | {
      readonly admitted: false;
      readonly remaining: 0;
      readonly resetAt: number;
      readonly retryAfterMs: number;
    };

/** `resetAt` is a time of the log's clock: the same for all requests until it is reached. */
export function judge(state: WindowState, { limit, lengthMs }: Window): Verdict {
  const resetAt = state.oldestAt + lengthMs;
  if (state.accepted) return { admitted: true, remaining: limit - state.count, resetAt };
  const retryAfterMs = state.blockingAt + lengthMs - state.now;
  return { admitted: false, remaining: 0, resetAt, retryAfterMs };
}

/**
 * The exact sliding log. `times` are the accepted requests of one key, oldest first; each leaves
 * `lengthMs` after it was accepted. If the clock goes back by less than a window, time stands still
 * until it has caught up; if it goes back further, old entries are dropped. A refused request
 * changes nothing.
 */
export function recordRequest(times: number[], window: Window, clockNow: number): WindowState {
  const newest = times.at(-1) ?? clockNow;
  if (newest - clockNow >= window.lengthMs) times.length = 0;
  const now = times.length === 0 ? clockNow : Math.max(clockNow, newest);

  const refusal = refusalAt(times, window, clockNow, now);
  if (refusal !== null) return refusal;
  times.splice(0, expiredOf(times, window, now));
  times.push(now);
  const oldestAt = times[0] ?? now;
  return { accepted: true, count: times.length, oldestAt, blockingAt: oldestAt, now: clockNow };
}

/** What `recordRequest` would return for a full window. Null: it has room. */
export function refusalOf(times: readonly number[], window: Window, clockNow: number): WindowState | null {
  const newest = times.at(-1) ?? clockNow;
  if (newest - clockNow >= window.lengthMs) return null;
  return refusalAt(times, window, clockNow, Math.max(clockNow, newest));
}

function refusalAt(
  times: readonly number[],
  window: Window,
  clockNow: number,
  now: number,
): WindowState | null {
  const expired = expiredOf(times, window, now);
  const count = times.length - expired;
  if (count < window.limit) return null;
  const oldestAt = times[expired] ?? now;
  const blockingAt = times[times.length - window.limit] ?? oldestAt;
  // `clockNow`, not the held time: the caller measures its wait with the actual clock.
  return { accepted: false, count, oldestAt, blockingAt, now: clockNow };
}

function expiredOf(times: readonly number[], { lengthMs }: Window, now: number): number {
  const firstInside = times.findIndex((time) => now - time < lengthMs);
  return firstInside === -1 ? times.length : firstInside;
}
