import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** What a request says, before anything of it was checked. */
export interface ApiRequest {
  readonly id: string;
  readonly method: string;
  /** The path with the query string. */
  readonly address: string;
  readonly headers: IncomingHttpHeaders;
}

const ACCEPTED_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's own id, if there is one: it can then find its request in our log. */
export function requestIdOf({ 'x-request-id': id }: IncomingHttpHeaders): string {
  return typeof id === 'string' && ACCEPTED_ID.test(id) ? id : randomUUID();
}

/** Node joins repeated headers to one text, which is never a key. */
export function keyOf({ 'x-api-key': key }: IncomingHttpHeaders): string | null {
  return typeof key === 'string' && key !== '' ? key : null;
}
