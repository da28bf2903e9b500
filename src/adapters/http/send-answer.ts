import type { ParameterizedContext } from 'koa';
import type { CachedAnswer } from '../../domain/queries/answer-from-cache.js';
import type { ApiState } from './api-state.js';
import { respond, respondWithoutBody } from './respond.js';

/** Sends a 200, or a 304 where the client has this very answer already. */
export async function sendAnswer(
  context: ParameterizedContext<ApiState>,
  { answer, source }: CachedAnswer,
): Promise<void> {
  const headers = [
    'ETag',
    answer.etag,
    // A client asks again each time, so that a change in the dashboard shows at once; no shared cache mixes keys.
    'Cache-Control',
    'private, no-cache',
    'Vary',
    'X-API-Key, Accept-Encoding',
    'X-Cache',
    source === 'computed' ? 'MISS' : 'HIT',
  ];
  // Not Koa's `fresh`: it never says 304 to a client that sends `Cache-Control: no-cache`, as Node's fetch does.
  if (namesTag(context.get('If-None-Match'), answer.etag)) respondWithoutBody(context, 304, headers);
  else await respond(context, 200, headers, answer.body, answer.etag);
}

/** Weak comparison, as If-None-Match wants it. */
function namesTag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  const tags = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  return tags.some((tag) => etag.endsWith(tag));
}
