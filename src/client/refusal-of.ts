import type { ErrorEnvelope } from './api-types.js';
import { BlogApiError, type BlogApiErrorKind } from './blog-api-error.js';

/** What an answer without content means. */
export function refusalOf({ status, headers }: Response, text: string): BlogApiError {
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

/** Null where something other than the API answers: a proxy, say, with a page of its own. */
function messageIn(text: string): string | null {
  try {
    return (JSON.parse(text) as ErrorEnvelope).error.message;
  } catch {
    return null;
  }
}

/** The API says a number of seconds; proxies may say a date. */
function secondsOf(retryAfter: string | null): number | null {
  if (retryAfter === null) return null;
  const seconds = /^\d+$/.test(retryAfter)
    ? Number(retryAfter)
    : Math.ceil((Date.parse(retryAfter) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
