/**
 * - `bad-request`: the API rejects the request (400); the message names each invalid parameter -
 * `unauthorized`: the key is not valid, or no longer (401) - `rate-limited`: the key has made too
 * many requests (429), and `retryAfter` is longer than the client waits, or all retries failed -
 * `server-error`: the API failed (5xx), and all retries failed - `network`: no answer or an
 * incomplete one, and all retries failed - `timeout`: no answer within the time limit, and all
 * retries failed - `unexpected-answer`: the answer is not one of this API; another server answers,
 * or the address is wrong
 */
export type BlogApiErrorKind =
  | 'bad-request'
  | 'unauthorized'
  | 'rate-limited'
  | 'server-error'
  | 'network'
  | 'timeout'
  | 'unexpected-answer';

interface Details {
  readonly status?: number;
  readonly retryAfter?: number | null;
  readonly resetAt?: Date | null;
  readonly requestId?: string | null;
  readonly cause?: unknown;
}

/** Why there is no content; an abort throws the reason of its signal instead, as `fetch` does. */
export class BlogApiError extends Error {
  override readonly name = 'BlogApiError';
  /** Of the answer. Null if there is none. */
  readonly status: number | null;
  /** Seconds that the API asks to wait. */
  readonly retryAfter: number | null;
  /** When the first of the key's requests leaves the window of the limit. */
  readonly resetAt: Date | null;
  /** Identifies the request in the log of the API. */
  readonly requestId: string | null;

  constructor(
    readonly kind: BlogApiErrorKind,
    message: string,
    { status, retryAfter, resetAt, requestId, cause }: Details = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.status = status ?? null;
    this.retryAfter = retryAfter ?? null;
    this.resetAt = resetAt ?? null;
    this.requestId = requestId ?? null;
  }
}
