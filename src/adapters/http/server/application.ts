import type { ServerResponse } from 'node:http';
import Koa, { type Middleware, type ParameterizedContext } from 'koa';
import type { Log } from '../../../domain/ports/system/log.js';
import { type ApiRequest, requestIdOf } from '../request/api-request.js';
import { pathOf } from '../request/request-parser.js';
import type { ApiResponse } from '../response/api-response.js';
import { errorResponse, refusalResponse } from '../response/error-response.js';
import type { RequestObserver } from './request-observer.js';
import type { Responder, Served } from './respond.js';

/**
 * Koa middleware that runs before the key of a request is checked. Middleware that does not call
 * `next` answers by itself; an error with a status below 500 is sent to the caller.
 */
export type ApiMiddleware = Middleware<{ readonly requestId: string }>;

interface State {
  requestId: string;
  /** Null: middleware answers by itself. */
  served: Served | null;
}

/** Koa round `respond` and the middleware of extensions. */
export function apiApplication(
  responder: Pick<Responder, 'respond'>,
  middleware: readonly ApiMiddleware[],
  observer: Pick<RequestObserver, 'answered'>,
  log: Log,
): Koa<State> {
  const application = new Koa<State>();
  application.use(async (context, next) => {
    const startedAt = performance.now();
    const { state, req } = context;
    const address = pathOf(context.url);
    if (address !== context.url) context.url = address;
    state.requestId = requestIdOf(req.headers);
    state.served = null;
    try {
      await next();
      if (state.served === null) context.set('X-Request-Id', state.requestId);
    } catch (error) {
      await sendFailure(context, error, log);
    }
    observer.answered(context, state.served, performance.now() - startedAt);
  });
  for (const extension of middleware) application.use(extension);
  application.use(async (context) => {
    context.state.served = await responder.respond(requestOf(context));
    send(context, context.state.served.response);
  });
  // Errors while a response is being sent: mostly callers that disconnect.
  application.on('error', (error: unknown) => log.debug('the response was not sent completely', { error }));
  return application;
}

function requestOf({ state, method, url, req }: ParameterizedContext<State>): ApiRequest {
  return { id: state.requestId, method, address: url, headers: req.headers };
}

/** Errors of middleware may have a status and a message for the caller. */
async function sendFailure(context: ParameterizedContext<State>, error: unknown, log: Log): Promise<void> {
  const request = requestOf(context);
  const isRefusal = error instanceof Koa.HttpError && error.expose;
  if (!isRefusal || context.res.headersSent) log.error('request failed', { requestId: request.id, error });
  // Middleware may throw after the response was sent; the response stays as it is.
  if (context.res.headersSent) return;
  send(
    context,
    await (isRefusal ? refusalResponse(request, error.status, error.message) : errorResponse(request, error)),
  );
}

let unwritten: { readonly response: ServerResponse; readonly body: ApiResponse['body'] }[] = [];

/**
 * The only place that writes bytes. Koa would write header by header, which takes a tenth of the
 * time of a HIT. Responses of a turn of the event loop are written together: otherwise each wakes
 * its reader by itself, which takes a quarter of it.
 */
function send(context: ParameterizedContext<State>, { status, headers, body }: ApiResponse): void {
  context.respond = false;
  const { res, state } = context;
  res.writeHead(status, ['X-Request-Id', state.requestId, ...headers]);
  if (unwritten.push({ response: res, body }) === 1) setImmediate(writeAll);
}

function writeAll(): void {
  const responses = unwritten;
  unwritten = [];
  for (const { response, body } of responses) response.end(body);
}
