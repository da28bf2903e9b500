import { BlogApiError, type BlogApiErrorKind } from './blog-api-error.js';
import type { BlogClientSettings } from './blog-client-options.js';

/** Errors that a retry may resolve. */
const TRANSIENT: readonly BlogApiErrorKind[] = ['rate-limited', 'server-error', 'network', 'timeout'];
const MIN_PAUSE_MS = 200;
const MAX_PAUSE_MS = 10_000;

/** Tries until an attempt succeeds or a retry makes no sense. */
export async function withRetries<Result>(
  { retries, longestWaitMs }: Pick<BlogClientSettings, 'retries' | 'longestWaitMs'>,
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
      await waitFor(requestedMs + pauseMs(failures), signal);
    }
  }
}

/** Longer after each failure, and random, so that clients do not retry together. */
function pauseMs(failures: number): number {
  return Math.random() * Math.min(MIN_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS);
}

/** Throws the reason of the signal as soon as it is aborted. */
function waitFor(millis: number, signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const settle = (settled: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      settled();
    };
    const abort = () => settle(() => reject(signal?.reason));
    const timer = setTimeout(() => settle(resolve), millis);
    signal?.addEventListener('abort', abort);
  });
}
