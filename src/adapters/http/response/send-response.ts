import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { GivenAnswer } from '../../../domain/answers/answer-request.js';
import { DomainError, type DomainErrorCode } from '../../../domain/errors.js';
import type { Answer } from '../../../domain/model/answer.js';
import type { Log } from '../../../domain/ports/system/log.js';
import { type Static, Type } from '../endpoints/schema.js';
import type { ApiContext } from '../request/api-state.js';
import { RequestError, type RequestErrorCode } from '../request/request-parser.js';
import { type Compression, compressedForms } from './compress.js';

/** Browsers and libraries send about a hundred different `Accept-Encoding` headers. */
const PREFERENCES_BYTES = 64 * 1024;
const MAX_PREFERENCE_BYTES = 1024;
const BYTES_OF_PREFERENCE = 200;
const preferences = new LRUCache<string, Compression | 'identity'>({
  maxSize: PREFERENCES_BYTES,
  maxEntrySize: MAX_PREFERENCE_BYTES,
  sizeCalculation: (_, header) => header.length + BYTES_OF_PREFERENCE,
});

export const JSON_TYPE = 'application/json; charset=utf-8';

interface ErrorResponse {
  readonly status: number;
  readonly message: (details: string) => string;
}

/** The only mapping from error codes to responses. A missing code is a compile error. */
export const ERROR_RESPONSES: Readonly<Record<DomainErrorCode | RequestErrorCode, ErrorResponse>> = {
  'invalid-parameters': { status: 400, message: (details) => `Invalid parameters: ${details}` },
  'malformed-address': {
    status: 400,
    message: () => 'Malformed address: percent-encode it as UTF-8, with two hexadecimal digits after every %',
  },
  unauthenticated: { status: 401, message: () => 'Provide a valid API key in the X-API-Key header' },
  'blog-not-found': { status: 404, message: () => 'Blog not found' },
  'unknown-path': {
    status: 404,
    message: () => 'No such path: there are /api/v1/blogs, /api/v1/categories and /api/v1/tags',
  },
  'method-not-allowed': {
    status: 405,
    message: () => 'Method not allowed: this API only answers GET and HEAD',
  },
  'over-limit': {
    status: 429,
    message: () => 'Rate limit exceeded: try again after the number of seconds in the Retry-After header',
  },
};

// These are refused while the request is read: no key, limit or request id is known yet.
export const MALFORMED_REQUEST = { status: 400, message: 'Malformed HTTP request' };
export const UNFINISHED_REQUEST = {
  status: 408,
  message: 'Request timeout: send the whole request without delay',
};
export const OVERSIZED_HEADERS = { status: 431, message: 'Request header too large: at most 8 KiB' };

export const UNEXPECTED_ERROR = { status: 500, message: 'Internal server error' };

export const ErrorEnvelope = Type.Object({
  error: Type.Object({
    message: Type.String({ description: 'Description of the error, for people' }),
    status: Type.Integer({ description: 'The HTTP status' }),
  }),
});

export function errorEnvelope(status: number, message: string): Static<typeof ErrorEnvelope> {
  return { error: { message, status } };
}

/** The values of RFC 9211: whether the answer was in the cache, and in which part of it. */
const CACHE_STATUS: Readonly<Record<GivenAnswer['source'], string>> = {
  process: 'blog-content-read-api; hit; detail=process',
  shared: 'blog-content-read-api; hit; detail=shared',
  stale: 'blog-content-read-api; hit; detail=stale',
  computed: 'blog-content-read-api; fwd=miss',
};

const COMPRESSED_ABOVE_BYTES = 1024;

/** The ETag is weak, because one tag identifies the plain and the compressed forms. */
export function renderAnswer(content: object): Answer {
  // Not a `Buffer`: a small one would keep its whole pool in memory while it is cached.
  const body = new TextEncoder().encode(JSON.stringify(content));
  // Joined: a cached template string would keep its parts in memory, and with them the whole hash.
  return { body, etag: ['W/"', hash('sha256', body, 'base64url').slice(0, 27), '"'].join('') };
}

/** Sends a 200, or a 304 if the client already has this answer. */
export async function sendAnswer(context: ApiContext, given: GivenAnswer): Promise<void> {
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
export async function sendError(context: ApiContext, error: unknown, log: Log): Promise<void> {
  if (error instanceof DomainError || error instanceof RequestError) {
    const { status, message } = ERROR_RESPONSES[error.code];
    return sendRefusal(context, status, message(error instanceof RequestError ? error.details : ''));
  }
  log.error('request failed', { requestId: context.state.requestId, error });
  // Middleware may throw after the response was sent; the response stays as it is.
  if (context.res.headersSent) return;
  return sendRefusal(context, UNEXPECTED_ERROR.status, UNEXPECTED_ERROR.message);
}

export async function sendRefusal(context: ApiContext, status: number, message: string): Promise<void> {
  const body = Buffer.from(JSON.stringify(errorEnvelope(status, message)));
  context.state.headers.push('Cache-Control', 'no-store', 'Vary', 'Accept-Encoding');
  return sendJson(context, status, body, null);
}

/** In the form that the client prefers; plain if it accepts none, which is better than a 406. */
async function sendJson(
  context: ApiContext,
  status: number,
  body: Uint8Array,
  etag: string | null,
): Promise<void> {
  const compression = body.byteLength > COMPRESSED_ABOVE_BYTES ? preferredForm(context) : 'identity';
  if (compression === 'identity') return sendBytes(context, status, body);
  const bytes = await compressedForms.of(body, etag, compression);
  context.state.headers.push('Content-Encoding', compression);
  sendBytes(context, status, bytes);
}

function preferredForm(context: ApiContext): Compression | 'identity' {
  const header = context.get('Accept-Encoding');
  const cached = preferences.get(header);
  if (cached !== undefined) return cached;
  const accepted = context.acceptsEncodings('br', 'gzip', 'identity');
  const preferred = accepted === 'br' || accepted === 'gzip' ? accepted : 'identity';
  preferences.set(header, preferred);
  return preferred;
}

function sendBytes(context: ApiContext, status: number, bytes: Uint8Array): void {
  context.state.headers.push('Content-Type', JSON_TYPE, 'Content-Length', String(bytes.byteLength));
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
