/**
 * - `bad-request`: the API refuses what was asked for (400); the message names each parameter that is wrong
 * - `unauthorized`: the key is not valid, or no longer (401)
 * - `rate-limited`: the key has made too many requests (429), and `retryAfter` is longer than the client waits, or it has waited enough
 * - `server-error`: the API failed (5xx), and again with each retry
 * - `network`: no answer, or not all of it, and again with each retry
 * - `timeout`: no answer within the time limit, and again with each retry
 * - `unexpected-answer`: nothing that this API says; what answered is something else, or is not where the address says
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

/** Why there is no content. Only an abort is none of these: then the reason of the signal is thrown, as `fetch` does it. */
export class BlogApiError extends Error {
  override readonly name = 'BlogApiError';
  /** Of the answer; null where there is none. */
  readonly status: number | null;
  /** Seconds that the API asks to wait. */
  readonly retryAfter: number | null;
  /** When the first of the key's requests leaves the window of the limit. */
  readonly resetAt: Date | null;
  /** Names the request in the log of the API. */
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
