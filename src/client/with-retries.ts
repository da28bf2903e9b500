import { BlogApiError, type BlogApiErrorKind } from './blog-api-error.js';

export interface RetryPolicy {
  /** How often a failed request is retried. */
  readonly retries: number;
  /** The longest wait that the client accepts from the API. */
  readonly longestWaitMs: number;
  readonly wait: (millis: number, signal: AbortSignal | null) => Promise<void>;
}

/** Errors that a retry may resolve. */
const TRANSIENT: readonly BlogApiErrorKind[] = ['rate-limited', 'server-error', 'network', 'timeout'];
const MIN_PAUSE_MS = 200;
const MAX_PAUSE_MS = 10_000;

/** Tries until an attempt succeeds or a retry makes no sense. */
export async function withRetries<Result>(
  { retries, longestWaitMs, wait }: RetryPolicy,
  signal: AbortSignal | null,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let failures = 0; ; failures++) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof BlogApiError) || !TRANSIENT.includes(error.kind)) throw error;
      const requestedMs = (error.retryAfter ?? 0) * 1000;
      // A retry before the requested time would be refused again, so the error is thrown at once.
      if (failures >= retries || requestedMs > longestWaitMs) throw error;
      await wait(requestedMs + pauseMs(failures), signal);
    }
  }
}

/** Longer after each failure, and random, so that clients do not retry together. */
function pauseMs(failures: number): number {
  return Math.random() * Math.min(MIN_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS);
}
