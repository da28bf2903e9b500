import { hash } from 'node:crypto';
import type { GivenAnswer } from '../../../domain/answers/answer-in-outage.js';
import { DomainError } from '../../../domain/errors.js';
import type { Answer } from '../../../domain/model/answer.js';
import { type Awaitable, mapAwaitable } from '../../../domain/model/awaitable.js';
import type { Log } from '../../../domain/ports/log.js';
import type { ApiContext } from '../request/api-state.js';
import { RequestError } from '../request/request-error.js';
import { type BodyForm, bestForm } from './compressed-forms.js';
import { ERROR_RESPONSES, errorEnvelope, JSON_TYPE, UNEXPECTED_ERROR } from './error-responses.js';

/** The values of RFC 9211: whether the answer was in the cache, and in which part of it. */
const CACHE_STATUS: Readonly<Record<GivenAnswer['source'], string>> = {
  process: 'blog-content-read-api; hit; detail=process',
  shared: 'blog-content-read-api; hit; detail=shared',
  stale: 'blog-content-read-api; hit; detail=stale',
  computed: 'blog-content-read-api; fwd=miss',
};

/** The ETag is weak, because one tag identifies the plain and the compressed forms. */
export function renderAnswer(content: object): Answer {
  // Not a `Buffer`: a small one would keep its whole pool in memory while it is cached.
  const body = new TextEncoder().encode(JSON.stringify(content));
  // Joined: a cached template string would keep its parts in memory, and with them the whole hash.
  return { body, etag: ['W/"', hash('sha256', body, 'base64url').slice(0, 27), '"'].join('') };
}

/** Sends a 200, or a 304 if the client already has this answer. */
export function sendAnswer(context: ApiContext, given: GivenAnswer): Awaitable<void> {
  const { state, req } = context;
  const { answer, source, generation } = given;
  state.source = source;
  state.headers.push(
    'ETag',
    answer.etag,
    // The client revalidates each time, and no shared cache mixes keys.
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
  // Koa's `fresh` never returns 304 to a client that sends `Cache-Control: no-cache`.
  const ifNoneMatch = req.headers['if-none-match'];
  if (ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, answer.etag)) return send(context, 304, null);
  return sendJson(context, 200, answer.body, answer.etag);
}

/** Sends an error in the envelope; the cause of a server error is logged and never sent. */
export function sendError(context: ApiContext, error: unknown, log: Log): Awaitable<void> {
  if (error instanceof DomainError || error instanceof RequestError) {
    const { status, message } = ERROR_RESPONSES[error.code];
    return sendRefusal(context, status, message(error instanceof RequestError ? error.details : ''));
  }
  log.error('request failed', { requestId: context.state.requestId, error });
  // Middleware may throw after the response was sent; the response stays as it is.
  if (context.res.headersSent) return;
  return sendRefusal(context, UNEXPECTED_ERROR.status, UNEXPECTED_ERROR.message);
}

export function sendRefusal(context: ApiContext, status: number, message: string): Awaitable<void> {
  const body = Buffer.from(JSON.stringify(errorEnvelope(status, message)));
  context.state.headers.push('Cache-Control', 'no-store', 'Vary', 'Accept-Encoding');
  return sendJson(context, status, body, null);
}

/** Sends JSON in the form that the client prefers, which is kept if a tag identifies it. */
function sendJson(
  context: ApiContext,
  status: number,
  body: Uint8Array,
  etag: string | null,
): Awaitable<void> {
  return mapAwaitable(bestForm(context, body, etag), (form) => sendForm(context, status, form));
}

function sendForm(context: ApiContext, status: number, { compression, bytes }: BodyForm): void {
  const { headers } = context.state;
  headers.push('Content-Type', JSON_TYPE, 'Content-Length', String(bytes.byteLength));
  if (compression !== null) headers.push('Content-Encoding', compression);
  send(context, status, bytes);
}

/** Writes all headers at once: one by one, as Koa does, takes a tenth of the time of a HIT. */
function send(context: ApiContext, status: number, body: Uint8Array | null): void {
  context.respond = false;
  context.res.writeHead(status, context.state.headers).end(body);
}

/** Weak comparison, as If-None-Match requires. */
function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  const tags = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  return tags.some((tag) => etag.endsWith(tag));
}
