import { hash } from 'node:crypto';
import type { GivenAnswer } from '../../../application/requests/answers.js';
import type { Answer } from '../../../domain/model/answer.js';
import type { ApiRequest } from '../request/api-request.js';
import { type ApiResponse, JSON_TYPE } from './api-response.js';
import { isLarge, type LargeBodies } from './large-bodies.js';

/** The values of RFC 9211: whether the answer was in the cache, and in which part of it. */
const CACHE_STATUS: Readonly<Record<GivenAnswer['source'], string>> = {
  process: 'blog-content-read-api; hit; detail=process',
  shared: 'blog-content-read-api; hit; detail=shared',
  stale: 'blog-content-read-api; hit; detail=stale',
  computed: 'blog-content-read-api; fwd=miss',
};

export async function renderAnswer(content: object, largeBodies: LargeBodies): Promise<Answer> {
  // Not a `Buffer`: a small one would keep its whole pool in memory while it is cached.
  const body = new TextEncoder().encode(JSON.stringify(content));
  if (!isLarge(body)) return { body, etag: etagOf(hash('sha256', body, 'base64url')) };
  return largeBodies.inTurn(async () => {
    // In another thread.
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', body));
    return { body, etag: etagOf(digest.toString('base64url')) };
  });
}

/** The ETag is weak, because one tag identifies the plain and the compressed forms. */
function etagOf(digest: string): string {
  return `W/"${digest.slice(0, 27)}"`;
}

/** A 200, or a 304 if the client already has this answer. */
export function answerResponse(request: ApiRequest, given: GivenAnswer): ApiResponse {
  const { source, generation, ageMs } = given;
  const { etag, body } = given.answer;
  const headers: Record<string, string> = {
    ETag: etag,
    // The client revalidates each time, and no shared cache mixes keys.
    'Cache-Control': 'private, no-cache',
    Vary: 'X-API-Key, Accept-Encoding',
    'X-Cache': source === 'computed' ? 'MISS' : 'HIT',
    'Cache-Status': CACHE_STATUS[source],
    'X-Content-Generation': String(generation),
  };
  // HTTP requires the age of an answer that was not confirmed to be current.
  if (ageMs !== null) headers.Age = String(Math.floor(ageMs / 1000));
  // Koa's `fresh` never returns 304 to a client that sends `Cache-Control: no-cache`.
  const ifNoneMatch = request.headers['if-none-match'];
  if (ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, etag))
    return { status: 304, headers, body: null, etag };
  headers['Content-Type'] = JSON_TYPE;
  return { status: 200, headers, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength), etag };
}

/** Weak comparison, as If-None-Match requires. */
function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  const tags = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  return tags.some((tag) => etag.endsWith(tag));
}
