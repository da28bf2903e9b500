import Negotiator from 'negotiator';
import type { ApiRequest } from '../request/api-request.js';
import { type Compression, compressedForms } from './compress.js';

/** Names and values alternate, as `writeHead` takes them. */
export type HeaderList = readonly string[];

export interface ApiResponse {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Uint8Array | null;
}

export const JSON_TYPE = 'application/json; charset=utf-8';
const COMPRESSED_ABOVE_BYTES = 1024;

/**
 * In the form that the client prefers; plain if it accepts none, which is better than a 406.
 * `etag` identifies the body permanently; a body without one is compressed each time.
 */
export async function jsonResponse(
  request: ApiRequest,
  status: number,
  headers: HeaderList,
  body: Uint8Array,
  etag: string | null,
): Promise<ApiResponse> {
  const compression = body.byteLength > COMPRESSED_ABOVE_BYTES ? preferredForm(request) : 'identity';
  if (compression === 'identity') return withBody(status, headers, body);
  const compressedHeaders = [...headers, 'Content-Encoding', compression];
  return withBody(status, compressedHeaders, await compressedForms.of(body, etag, compression));
}

function withBody(status: number, headers: HeaderList, body: Uint8Array): ApiResponse {
  const length = String(body.byteLength);
  return { status, headers: [...headers, 'Content-Type', JSON_TYPE, 'Content-Length', length], body };
}

function preferredForm({ headers }: ApiRequest): Compression | 'identity' {
  const [preferred = 'identity'] = new Negotiator({ headers }).encodings(['br', 'gzip', 'identity']);
  return preferred as Compression | 'identity';
}
