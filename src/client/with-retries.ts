import { BlogApiError, type BlogApiErrorKind } from './blog-api-error.js';

export interface RetryPolicy {
  /** How often a failed request is tried again. */
  readonly retries: number;
  /** The longest wait that the API may ask for. */
  readonly longestWaitMs: number;
  readonly wait: (millis: number, signal: AbortSignal | null) => Promise<void>;
}

/** What may be over when it is tried again. */
const PASSING: readonly BlogApiErrorKind[] = ['rate-limited', 'server-error', 'network', 'timeout'];
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;

/** Tries until it works, or makes no sense. */
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
      if (!(error instanceof BlogApiError) || !PASSING.includes(error.kind)) throw error;
      const askedMs = (error.retryAfter ?? 0) * 1000;
      // Whoever comes earlier than asked is refused again: better to say so at once.
      if (failures >= retries || askedMs > longestWaitMs) throw error;
      await wait(askedMs + pauseMs(failures), signal);
    }
  }
}

/** Random, so that those who failed together do not come back together; longer with each failure. */
function pauseMs(failures: number): number {
  return Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
}
