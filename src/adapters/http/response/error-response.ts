import { DomainError, type DomainErrorCode } from '../../../domain/errors.js';
import { type Static, Type } from '../endpoints/schema.js';
import { RequestError, type RequestErrorCode } from '../request/request-parser.js';
import { type ApiResponse, JSON_TYPE } from './api-response.js';

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
const MALFORMED_REQUEST = { status: 400, message: 'Malformed HTTP request' };
export const UNFINISHED_REQUEST = {
  status: 408,
  message: 'Request timeout: send the whole request without delay',
};
export const OVERSIZED_HEADERS = { status: 431, message: 'Request header too large: at most 8 KiB' };

/** The refusal for a code of Node's parser, or without a code for what this server refuses. */
export function refusalOfUnread(code: string | undefined): {
  readonly status: number;
  readonly message: string;
} {
  if (code === 'HPE_HEADER_OVERFLOW') return OVERSIZED_HEADERS;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? UNFINISHED_REQUEST : MALFORMED_REQUEST;
}

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

/** An error in the envelope. Of a server error, the caller learns nothing but the status. */
export function errorResponse(error: unknown): ApiResponse {
  if (!isRefusal(error)) return refusalResponse(UNEXPECTED_ERROR.status, UNEXPECTED_ERROR.message);
  const { status, message } = ERROR_RESPONSES[error.code];
  const details = error instanceof RequestError ? error.details : '';
  const headers = error.code === 'method-not-allowed' ? { Allow: 'GET, HEAD' } : {};
  return refusalResponse(status, message(details), headers);
}

/** False: an error of the server, whose cause is for the log. */
export function isRefusal(error: unknown): error is DomainError | RequestError {
  return error instanceof DomainError || error instanceof RequestError;
}

export function refusalResponse(
  status: number,
  message: string,
  headers: ApiResponse['headers'] = {},
): ApiResponse {
  return {
    status,
    headers: { ...headers, 'Cache-Control': 'no-store', Vary: 'Accept-Encoding', 'Content-Type': JSON_TYPE },
    body: Buffer.from(JSON.stringify(errorEnvelope(status, message))),
    etag: null,
  };
}
