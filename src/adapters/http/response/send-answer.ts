import type { GivenAnswer } from '../../../domain/answers/answer-in-outage.js';
import type { Awaitable } from '../../../domain/model/awaitable.js';
import type { ApiContext } from '../request/api-state.js';
import { respond, respondWithoutBody } from './respond.js';

/** The values of RFC 9211: whether the answer was in the cache, and in which part of it. */
const CACHE_STATUS: Readonly<Record<GivenAnswer['source'], string>> = {
  process: 'blog-content-read-api; hit; detail=process',
  shared: 'blog-content-read-api; hit; detail=shared',
  stale: 'blog-content-read-api; hit; detail=stale',
  computed: 'blog-content-read-api; fwd=miss',
};

/** Sends a 200, or a 304 if the client already has this answer. */
export function sendAnswer(context: ApiContext, given: GivenAnswer): Awaitable<void> {
  const { state, req } = context;
  const { answer, source, generation } = given;
  state.source = source;
  state.headers.push(
    'ETag',
    answer.etag,
    // The client revalidates each time, so that a change in the dashboard shows at once; no shared cache mixes keys.
    'Cache-Control',
    'private, no-cache',
    'Vary',
    'X-API-Key, Accept-Encoding',
    'X-Cache',
    source === 'computed' ? 'MISS' : 'HIT',
    'Cache-Status',
    CACHE_STATUS[source],
    'X-Content-Generation',
    String(generation),
  );
  // HTTP requires the age of an answer that was not confirmed to be current.
  if (given.source === 'stale') state.headers.push('Age', String(Math.floor(given.ageMs / 1000)));
  // Koa's `fresh` never returns 304 to a client that sends `Cache-Control: no-cache`, as Node's fetch does.
  const ifNoneMatch = req.headers['if-none-match'];
  if (ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, answer.etag))
    return respondWithoutBody(context, 304);
  return respond(context, 200, answer.body, answer.etag);
}

/** Weak comparison, as If-None-Match requires. */
function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  const tags = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  return tags.some((tag) => etag.endsWith(tag));
}
