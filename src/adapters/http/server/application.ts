import { STATUS_CODES } from 'node:http';
import Koa, { type Middleware, type ParameterizedContext } from 'koa';
import type { Log } from '../../../domain/ports/system/log.js';
import { type ApiRequest, requestIdOf } from '../request/api-request.js';
import { addressOf } from '../request/request-parser.js';
import type { ApiResponse } from '../response/api-response.js';
import type { CompressedForms } from '../response/compress.js';
import { refusalResponse, UNEXPECTED_ERROR } from '../response/error-response.js';
import type { RequestObserver } from './request-observer.js';
import type { Responder, Served } from './respond.js';

/** Koa middleware: runs before the key of a request is checked, and after its response is made. */
export type ApiMiddleware = Middleware<{ readonly requestId: string }>;

const COMPRESSED_ABOVE_BYTES = 1024;

interface State {
  requestId: string;
  /** Null: middleware answers by itself. */
  served: Served | null;
}

type Context = ParameterizedContext<State>;

/** The Koa application: the middleware of extensions, then `respond`. */
export function apiApplication(
  responder: Pick<Responder, 'respond'>,
  middleware: readonly ApiMiddleware[],
  compressedForms: CompressedForms,
  observer: Pick<RequestObserver, 'answered'>,
  log: Log,
): Koa<State> {
  const application = new Koa<State>();
  application.use(async (context, next) => {
    const startedAt = performance.now();
    const { state } = context;
    const requestId = requestIdOf(context.req.headers);
    context.url = addressOf(context.url);
    Object.assign(state, { requestId, served: null });
    try {
      await next();
      await compress(context, compressedForms);
    } catch (error) {
      fail(context, error, log);
    }
    context.set('X-Request-Id', requestId);
    observer.answered(context, state.served, performance.now() - startedAt);
  });
  for (const extension of middleware) application.use(extension);
  application.use(async (context) => {
    const served = await responder.respond(requestOf(context));
    context.state.served = served;
    context.set(served.rate);
    write(context, served.response);
  });
  // Errors while a response is being sent: mostly callers that disconnect.
  application.on('error', (error: unknown) => log.debug('the response was not sent completely', { error }));
  return application;
}

function requestOf({ state, method, url, req }: Context): ApiRequest {
  return { id: state.requestId, method, address: url, headers: req.headers };
}

function write(context: Context, { status, headers, body }: ApiResponse): void {
  context.status = status;
  context.set(headers);
  if (body !== null) context.body = body;
}

/** Outermost, so that middleware sees the plain body. One that it replaces stays as it is. */
async function compress(context: Context, compressedForms: CompressedForms): Promise<void> {
  const { body = null, etag = null } = context.state.served?.response ?? {};
  if (body === null || context.body !== body || body.byteLength <= COMPRESSED_ABOVE_BYTES) return;
  const encoding = context.acceptsEncodings('br', 'gzip', 'identity');
  // Plain for a client that accepts none, which is better than a 406.
  if (encoding !== 'br' && encoding !== 'gzip') return;
  context.body = await compressedForms.of(body, etag, encoding);
  context.set('Content-Encoding', encoding);
}

/** As Koa does with errors of middleware, but in the envelope of all errors. */
function fail(context: Context, error: unknown, log: Log): void {
  try {
    answerFailure(context, error, log);
  } catch (unusable) {
    // The error may have headers that cannot be sent, for example.
    answerFailure(context, unusable, log);
  }
}

function answerFailure(context: Context, error: unknown, log: Log): void {
  const { status: given, expose, message, headers } = Object(error);
  const isHttpError = Number.isInteger(given) && given >= 400 && given in STATUS_CODES;
  const status = isHttpError ? given : UNEXPECTED_ERROR.status;
  if (expose !== true || context.headerSent)
    log.error('request failed', { requestId: context.state.requestId, error });
  if (context.headerSent) return;
  for (const name of context.res.getHeaderNames()) context.remove(name);
  context.set({ ...headers, ...context.state.served?.rate });
  const hidden = status === UNEXPECTED_ERROR.status ? UNEXPECTED_ERROR.message : STATUS_CODES[status];
  write(context, refusalResponse(status, String(expose === true ? message : hidden)));
}
