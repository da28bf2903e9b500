import { STATUS_CODES } from 'node:http';
import type { Operation } from '../endpoints/endpoints.js';
import { type TSchema, Type } from '../endpoints/schema.js';
import {
  ERROR_RESPONSES,
  ErrorEnvelope,
  errorEnvelope,
  OVERSIZED_HEADERS,
  UNEXPECTED_ERROR,
  UNFINISHED_REQUEST,
} from '../response/error-response.js';

export interface Header {
  readonly description: string;
  readonly required: boolean;
  readonly schema: TSchema;
}

const always = (description: string, schema: TSchema): Header => ({ description, required: true, schema });

export const RESPONSE_HEADERS = {
  'X-RateLimit-Limit': always(
    'Number of requests that a key may make in the window',
    Type.Integer({ minimum: 1, examples: [100] }),
  ),
  'X-RateLimit-Remaining': always(
    'Number of requests left in the window; 0 without a valid key',
    Type.Integer({ minimum: 0, examples: [99] }),
  ),
  'X-RateLimit-Reset': always(
    'Unix time in milliseconds at which the oldest counted request leaves the window',
    Type.Integer({ minimum: 0, examples: [1767225660000] }),
  ),
  'RateLimit-Policy': always(
    'The limit, in the form of the IETF draft: `q` requests in any `w` seconds',
    Type.String({ pattern: '^"per-key";q=[0-9]+;w=[0-9]+$', examples: ['"per-key";q=100;w=60'] }),
  ),
  RateLimit: always(
    'The state of the window, in the form of the IETF draft: `r` requests are left, and the oldest counted request leaves the window in `t` seconds',
    Type.String({ pattern: '^"per-key";r=[0-9]+;t=[0-9]+$', examples: ['"per-key";r=99;t=60'] }),
  ),
  'X-Request-Id': always(
    "Id of this request in the service's log: the caller's id if it sent a valid one",
    Type.String({ pattern: '^[A-Za-z0-9._-]{1,128}$', examples: ['2f1c7e0a-6f0b-4b51-9f0e-8f4f8a0c7d55'] }),
  ),
  'Cache-Control': always(
    'Only the client may store a content response, and revalidates it each time; errors are not stored',
    Type.Enum(['private, no-cache', 'no-store']),
  ),
  Vary: always(
    'Request headers that the response depends on',
    Type.Enum(['X-API-Key, Accept-Encoding', 'Accept-Encoding']),
  ),
  ETag: always(
    'Identifies this content: send it in `If-None-Match`',
    Type.String({ pattern: '^W/"[^"]+"$', examples: ['W/"q1fSx0bVZb2rJ4yB9mC7uW3tNhE"'] }),
  ),
  'X-Cache': always('HIT: the answer came from the cache; MISS: it was computed', Type.Enum(['HIT', 'MISS'])),
  'Cache-Status': always(
    'The same in the form of RFC 9211. `detail` shows the cache: the local cache of the process, or the one that processes share; `stale`: the answer may be outdated, because the current content cannot be read',
    Type.Enum([
      'blog-content-read-api; hit; detail=process',
      'blog-content-read-api; hit; detail=shared',
      'blog-content-read-api; hit; detail=stale',
      'blog-content-read-api; fwd=miss',
    ]),
  ),
  'X-Content-Generation': always(
    "The generation of the organization's content that the answer shows. It grows with every change",
    Type.Integer({ minimum: 0, examples: [1767225600000000] }),
  ),
  Age: {
    description: 'Seconds since an answer that may be outdated was computed; no other answer has it',
    required: false,
    schema: Type.Integer({ minimum: 0, examples: [420] }),
  },
  'Content-Encoding': {
    description: 'How a body above 1 KiB is compressed, for a client that accepts it',
    required: false,
    schema: Type.Enum(['br', 'gzip']),
  },
  Allow: always('The methods of this path', Type.Enum(['GET, HEAD'])),
  'Retry-After': always(
    'Number of seconds until the next request is accepted',
    Type.Integer({ minimum: 1, examples: [12] }),
  ),
} as const satisfies Record<string, Header>;

type HeaderName = keyof typeof RESPONSE_HEADERS;

/** Every response has these headers, except those to unreadable input. */
const ON_EVERY_RESPONSE: readonly HeaderName[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
  'X-Request-Id',
  'Cache-Control',
  'Vary',
];

const ON_CONTENT: readonly HeaderName[] = ['ETag', 'X-Cache', 'Cache-Status', 'X-Content-Generation', 'Age'];

const WRONG_PARAMETER = 'limit must be a whole number from 1 to 100, in plain digits (got "0")';

const ERRORS = Object.entries({
  ...ERROR_RESPONSES,
  unexpected: withoutDetails(UNEXPECTED_ERROR),
  'unfinished-request': withoutDetails(UNFINISHED_REQUEST),
  'oversized-headers': withoutDetails(OVERSIZED_HEADERS),
});

const STATUSES = [...new Set(ERRORS.map(([, { status }]) => status))];

/** Only unreadable requests get these; a malformed one shares the status 400 with others. */
const UNREAD: readonly number[] = [UNFINISHED_REQUEST.status, OVERSIZED_HEADERS.status];

const OWN_HEADERS: Readonly<Record<number, HeaderName[]>> = {
  405: ['Allow'],
  429: ['Retry-After'],
};

/** By status. The errors are references to `errorResponses`. */
export function operationResponses({ content, segment }: Operation) {
  return {
    200: {
      description: 'The content',
      headers: headersWith(...ON_CONTENT, 'Content-Encoding'),
      content: { 'application/json': { schema: content } },
    },
    304: {
      description: 'Not modified: the `If-None-Match` of the client is current',
      headers: headersWith(...ON_CONTENT),
    },
    ...errorsOf(segment),
  };
}

/** One response for each status of an error, with an example of each error that has it. */
export function errorResponses() {
  return Object.fromEntries(STATUSES.map((status) => [nameOf(status), responseOf(status)]));
}

/** References by status. A single blog may be not found; a list is only empty. */
function errorsOf(segment: object | null) {
  const statuses = STATUSES.filter((status) => segment !== null || status !== 404);
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]),
  );
}

function responseOf(status: number) {
  const errors = ERRORS.filter(([, error]) => error.status === status);
  const examples = errors.map(([code, { message }]) => [
    code,
    { value: errorEnvelope(status, message(WRONG_PARAMETER)) },
  ]);
  return {
    description: errors.map(([, { message }]) => message('…')).join(', or: '),
    headers: UNREAD.includes(status)
      ? headersOnly('Cache-Control')
      : headersWith('Content-Encoding', ...(OWN_HEADERS[status] ?? [])),
    content: { 'application/json': { schema: ErrorEnvelope, examples: Object.fromEntries(examples) } },
  };
}

function withoutDetails({ status, message }: typeof UNEXPECTED_ERROR) {
  return { status, message: () => message };
}

function nameOf(status: number): string {
  return (STATUS_CODES[status] ?? '').replaceAll(' ', '');
}

/** References to the headers of every response, and to the named ones. */
function headersWith(...names: readonly HeaderName[]) {
  return headersOnly(...ON_EVERY_RESPONSE, ...names);
}

function headersOnly(...names: readonly HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
