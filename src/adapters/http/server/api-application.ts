import { randomUUID } from 'node:crypto';
import Koa, { type Middleware } from 'koa';
import type { AdmitRequestHandler } from '../../../domain/admission/admit-request.js';
import type { AnswerInOutageHandler } from '../../../domain/answers/answer-in-outage.js';
import type { Window } from '../../../domain/model/window.js';
import type { Clock } from '../../../domain/ports/clock.js';
import type { Log } from '../../../domain/ports/log.js';
import type { Endpoint } from '../endpoints/endpoints.js';
import { pathOf } from '../request/address.js';
import { admitCaller } from '../request/admit-caller.js';
import type { ApiContext, ApiState } from '../request/api-state.js';
import { sendError, sendRefusal } from '../response/send-response.js';
import type { ApiMiddleware } from './api-middleware.js';
import { ApiRouter } from './api-router.js';
import { type ObserveRequest, observeRequest } from './observe-request.js';

export interface ApiParts {
  readonly endpoints: readonly Endpoint[];
  /** Runs for each request before its key is checked. */
  readonly middleware: readonly ApiMiddleware[];
  readonly admission: AdmitRequestHandler;
  readonly answers: Pick<AnswerInOutageHandler, 'handle'>;
  readonly window: Window;
  readonly clock: Clock;
  readonly log: Log;
  readonly observe: ObserveRequest;
}

const ACCEPTED_ID = /^[A-Za-z0-9._-]{1,128}$/;

export function apiApplication(parts: ApiParts): Koa<ApiState> {
  const { middleware, log } = parts;
  const application = new Koa<ApiState>();
  const router = new ApiRouter(parts.endpoints, parts.answers);
  if (middleware.length > 0) application.use(aroundMiddleware(parts, router));
  for (const extension of middleware) application.use(extension);
  application.use(serveRequest(parts, router));
  // Errors while a response is being sent: mostly callers that disconnect.
  application.on('error', (error: unknown) => log.debug('the response was not sent completely', { error }));
  return application;
}

/** The order of work for every request; one function, since each more slows a HIT down. */
function serveRequest(parts: ApiParts, router: ApiRouter): Middleware<ApiState> {
  const { log, observe } = parts;
  const hasNoMiddleware = parts.middleware.length === 0;
  const admit = admitCaller(parts);
  return async (context) => {
    const startedAt = performance.now();
    if (hasNoMiddleware) receiveRequest(context);
    try {
      await admit(context);
      const sent = router.answer(context);
      if (sent instanceof Promise) await sent;
    } catch (error) {
      const sent = sendError(context, error, log);
      if (sent instanceof Promise) await sent;
    }
    if (hasNoMiddleware) observeRequest(context, performance.now() - startedAt, router, log, observe);
  };
}

/** Around the middleware of extensions, whose responses need an id and are observed as well. */
function aroundMiddleware({ log, observe }: ApiParts, router: ApiRouter): Middleware<ApiState> {
  return async (context, next) => {
    const startedAt = performance.now();
    receiveRequest(context);
    try {
      await next();
      if (context.respond !== false) context.set('X-Request-Id', context.state.requestId);
    } catch (error) {
      // Errors of middleware may have a status and a message for the caller.
      const isRefusal = error instanceof Koa.HttpError && error.expose && !context.res.headersSent;
      await (isRefusal ? sendRefusal(context, error.status, error.message) : sendError(context, error, log));
    }
    observeRequest(context, performance.now() - startedAt, router, log, observe);
  };
}

/** The caller's own id, if there is one: it can then find its request in our log. */
function receiveRequest(context: ApiContext): void {
  const { state, req, url } = context;
  const path = pathOf(url);
  if (path !== url) context.url = path;
  const id = req.headers['x-request-id'];
  state.requestId = typeof id === 'string' && ACCEPTED_ID.test(id) ? id : randomUUID();
  state.headers = ['X-Request-Id', state.requestId];
}
