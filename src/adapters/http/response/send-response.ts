import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { GivenAnswer } from '../../../domain/answers/answer-request.js';
import { SingleFlight } from '../../../domain/answers/single-flight.js';
import { DomainError } from '../../../domain/errors.js';
import type { Answer } from '../../../domain/model/answer.js';
import { type Awaitable, mapAwaitable } from '../../../domain/model/awaitable.js';
import type { Log } from '../../../domain/ports/log.js';
import type { ApiContext } from '../request/api-state.js';
import { RequestError } from '../request/request-parser.js';
import { ERROR_RESPONSES, errorEnvelope, JSON_TYPE, UNEXPECTED_ERROR } from './error-responses.js';

/** The values of RFC 9211: whether the answer was in the cache, and in which part of it. */
const CACHE_STATUS: Readonly<Record<GivenAnswer['source'], string>> = {
  process: 'blog-content-read-api; hit; detail=process',
  shared: 'blog-content-read-api; hit; detail=shared',
  stale: 'blog-content-read-api; hit; detail=stale',
  computed: 'blog-content-read-api; fwd=miss',
};

const COMPRESSED_ABOVE_BYTES = 1024;
/** Besides the plain answers within `LOCAL_CACHE_BYTES`, which compress to less than a third. */
const KEPT_FORMS_BYTES = 5 * 1024 * 1024;
/** Browsers and libraries send about a hundred different `Accept-Encoding` headers. */
const PREFERENCES_BYTES = 64 * 1024;
const MAX_PREFERENCE_BYTES = 1024;
const BYTES_OF_PREFERENCE = 200;
/** What a compressed body takes in addition to its bytes. */
const BYTES_OF_FORM = 500;
// Level 4 compresses JSON like gzip's best level, in a fraction of the default level's time.
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const COMPRESS = {
  br: (body: Uint8Array) => promisify(brotliCompress)(body, BROTLI_OPTIONS),
  gzip: (body: Uint8Array) => promisify(gzip)(body),
};
type Compression = keyof typeof COMPRESS;

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

/** In the form that the client prefers; plain if it accepts none, which is better than a 406. */
function sendJson(
  context: ApiContext,
  status: number,
  body: Uint8Array,
  etag: string | null,
): Awaitable<void> {
  const compression = body.byteLength > COMPRESSED_ABOVE_BYTES ? preferenceOf(context) : 'identity';
  if (compression === 'identity') return sendBytes(context, status, body);
  return mapAwaitable(forms.of(body, etag, compression), (bytes) => {
    context.state.headers.push('Content-Encoding', compression);
    sendBytes(context, status, bytes);
  });
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

/** Compressed bodies, made at the first request for them and bounded in bytes. */
export class CompressedForms {
  readonly #kept: LRUCache<string, Uint8Array>;
  readonly #running = new SingleFlight<Uint8Array>();

  constructor(maxBytes: number) {
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (bytes, name) => bytes.buffer.byteLength + name.length + BYTES_OF_FORM,
    });
  }

  /** `etag` identifies the body permanently; a body without one is compressed and not kept. */
  of(body: Uint8Array, etag: string | null, compression: Compression): Uint8Array | Promise<Uint8Array> {
    if (etag === null) return COMPRESS[compression](body);
    const name = `${compression} ${etag}`;
    return this.#kept.get(name) ?? this.#running.run(name, () => this.#make(name, body, compression));
  }

  async #make(name: string, body: Uint8Array, compression: Compression): Promise<Uint8Array> {
    // Copied: zlib's buffer would keep a chunk of 16 KiB in memory, however little of it is used.
    const bytes = new Uint8Array(await COMPRESS[compression](body));
    this.#kept.set(name, bytes);
    return bytes;
  }
}

const forms = new CompressedForms(KEPT_FORMS_BYTES);
const preferences = new LRUCache<string, Compression | 'identity'>({
  maxSize: PREFERENCES_BYTES,
  maxEntrySize: MAX_PREFERENCE_BYTES,
  sizeCalculation: (_, header) => header.length + BYTES_OF_PREFERENCE,
});

function preferenceOf(context: ApiContext): Compression | 'identity' {
  const header = context.get('Accept-Encoding');
  const cached = preferences.get(header);
  if (cached !== undefined) return cached;
  const accepted = context.acceptsEncodings('br', 'gzip', 'identity');
  const preferred = accepted === 'br' || accepted === 'gzip' ? accepted : 'identity';
  preferences.set(header, preferred);
  return preferred;
}
