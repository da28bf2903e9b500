import type { DomainErrorCode } from '../../../domain/errors.js';
import { type Static, Type } from '../endpoints/schema.js';
import type { RequestErrorCode } from '../request/request-parser.js';

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
