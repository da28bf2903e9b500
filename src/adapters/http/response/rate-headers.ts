import type { Window } from '../../../domain/model/window.js';
import type { Verdict } from '../../../domain/policies/sliding-window.js';
import type { Clock } from '../../../domain/ports/system/clock.js';
import type { ApiResponse } from './api-response.js';

/** The state of the caller's window, in the headers of every response. */
export class RateHeaders {
  readonly #limit: string;
  readonly #policy: string;

  constructor(
    private readonly window: Window,
    private readonly clock: Clock,
  ) {
    this.#limit = String(window.limit);
    this.#policy = `"per-key";q=${this.#limit};w=${seconds(window.lengthMs)}`;
  }

  of(verdict: Verdict): ApiResponse['headers'] {
    const headers = this.#of(verdict.remaining, verdict.resetAt);
    if (!verdict.admitted) headers['Retry-After'] = String(Math.max(1, seconds(verdict.retryAfterMs)));
    return headers;
  }

  /** A caller without a valid key has no window, so this keeps no state. */
  ofNoKey(): ApiResponse['headers'] {
    return this.#of(0, this.clock.now() + this.window.lengthMs);
  }

  #of(remaining: number, resetAt: number): Record<string, string> {
    return {
      'X-RateLimit-Limit': this.#limit,
      'X-RateLimit-Remaining': String(remaining),
      'X-RateLimit-Reset': String(resetAt),
      'RateLimit-Policy': this.#policy,
      RateLimit: `"per-key";r=${remaining};t=${seconds(Math.max(0, resetAt - this.clock.now()))}`,
    };
  }
}

/** Rounded up, so that a caller that waits this long has waited long enough. */
function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}
