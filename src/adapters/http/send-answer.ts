import type { Awaitable } from '../../domain/model/awaitable.js';
import type { CachedAnswer } from '../../domain/queries/answer-from-cache.js';
import type { ApiContext } from './api-state.js';
import { respond, respondWithoutBody } from './respond.js';

/** Sends a 200, or a 304 where the client has this very answer already. */
export function sendAnswer(context: ApiContext, { answer, source }: CachedAnswer): Awaitable<void> {
  const { state, req } = context;
  state.source = source;
  state.headers.push(
    'ETag',
    answer.etag,
    // A client asks again each time, so that a change in the dashboard shows at once; no shared cache mixes keys.
    'Cache-Control',
    'private, no-cache',
    'Vary',
    'X-API-Key, Accept-Encoding',
    'X-Cache',
    source === 'computed' ? 'MISS' : 'HIT',
  );
  // Not Koa's `fresh`: it never says 304 to a client that sends `Cache-Control: no-cache`, as Node's fetch does.
  const ifNoneMatch = req.headers['if-none-match'];
  if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, answer.etag))
    return respondWithoutBody(context, 304);
  return respond(context, 200, answer.body, answer.etag);
}

/** Weak comparison, as If-None-Match wants it. */
function namesTag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  const tags = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  return tags.some((tag) => etag.endsWith(tag));
}
