import type { ErrorEnvelope } from './api-types.js';
import { BlogApiError, type BlogApiErrorKind } from './blog-api-error.js';

/** Converts an answer without content into an error. */
export function responseError({ status, headers }: Response, text: string): BlogApiError {
  const reset = headers.get('X-RateLimit-Reset');
  return new BlogApiError(kindOf(status), messageIn(text) ?? `The answer has the status ${status}`, {
    status,
    retryAfter: secondsOf(headers.get('Retry-After')),
    resetAt: reset === null ? null : new Date(Number(reset)),
    requestId: headers.get('X-Request-Id'),
  });
}

function kindOf(status: number): BlogApiErrorKind {
  if (status === 400) return 'bad-request';
  if (status === 401) return 'unauthorized';
  if (status === 429) return 'rate-limited';
  return status >= 500 ? 'server-error' : 'unexpected-answer';
}

/** Null if another server answers, such as a proxy with its own error page. */
function messageIn(text: string): string | null {
  try {
    return (JSON.parse(text) as ErrorEnvelope).error.message;
  } catch {
    return null;
  }
}

/** The API sends a number of seconds. Proxies may send a date. */
function secondsOf(retryAfter: string | null): number | null {
  if (retryAfter === null) return null;
  const seconds = /^\d+$/.test(retryAfter)
    ? Number(retryAfter)
    : Math.ceil((Date.parse(retryAfter) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
