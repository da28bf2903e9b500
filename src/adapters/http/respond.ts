import type { ParameterizedContext } from 'koa';
import type { ApiState } from './api-state.js';
import { bestForm, JSON_TYPE } from './body-forms.js';

type ApiContext = ParameterizedContext<ApiState>;

/** Name and value by turns, as Node takes them. */
type Headers = readonly string[];

/** Sends JSON in the form that the client likes best, which is kept for the next if there is a tag that names it. */
export async function respond(
  context: ApiContext,
  status: number,
  headers: Headers,
  body: Uint8Array,
  etag: string | null = null,
): Promise<void> {
  const { compression, bytes } = await bestForm(context, body, etag);
  context.state.headers.push(
    ...headers,
    'Content-Type',
    JSON_TYPE,
    'Content-Length',
    String(bytes.byteLength),
  );
  if (compression !== null) context.state.headers.push('Content-Encoding', compression);
  send(context, status, bytes);
}

export function respondWithoutBody(context: ApiContext, status: number, headers: Headers): void {
  context.state.headers.push(...headers);
  send(context, status, null);
}

/** All headers at once, past Koa: to set each by itself takes a tenth of a HIT. */
function send(context: ApiContext, status: number, body: Uint8Array | null): void {
  context.respond = false;
  context.res.writeHead(status, context.state.headers).end(body);
}
