import { type Awaitable, mapAwaitable } from '../../../domain/model/awaitable.js';
import type { ApiContext } from '../request/api-state.js';
import { type BodyForm, bestForm, JSON_TYPE } from './body-forms.js';

/** Sends JSON in the form that the client prefers. The form is kept for the next request if a tag identifies it. */
export function respond(
  context: ApiContext,
  status: number,
  body: Uint8Array,
  etag: string | null,
): Awaitable<void> {
  return mapAwaitable(bestForm(context, body, etag), (form) => sendForm(context, status, form));
}

export function respondWithoutBody(context: ApiContext, status: number): void {
  send(context, status, null);
}

function sendForm(context: ApiContext, status: number, { compression, bytes }: BodyForm): void {
  const { headers } = context.state;
  headers.push('Content-Type', JSON_TYPE, 'Content-Length', String(bytes.byteLength));
  if (compression !== null) headers.push('Content-Encoding', compression);
  send(context, status, bytes);
}

/** Writes all headers at once, without Koa: setting each separately takes a tenth of the time of a HIT. */
function send(context: ApiContext, status: number, body: Uint8Array | null): void {
  context.respond = false;
  context.res.writeHead(status, context.state.headers).end(body);
}
