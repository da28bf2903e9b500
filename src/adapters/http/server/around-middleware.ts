import type Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import type { Log } from '../../../domain/ports/log.js';
import type { ApiState } from '../request/api-state.js';
import { identifyRequest } from '../request/identify-request.js';
import { readTarget } from '../request/read-target.js';
import { answerError, sendError } from '../response/answer-error.js';
import { type ObserveRequest, observeRequest } from './observe-request.js';

/** Runs around all middleware of extensions, so that their answers also have an id and are observed like all others. */
export function aroundMiddleware(
  router: Router<ApiState>,
  log: Log,
  observe: ObserveRequest,
): Middleware<ApiState> {
  return async (context, next) => {
    const begin = performance.now();
    readTarget(context);
    identifyRequest(context);
    try {
      await next();
      if (context.respond !== false) context.set('X-Request-Id', context.state.requestId);
    } catch (error) {
      // Errors of middleware may have their own status and message. Errors of adapters look the same, but they never get here.
      const isRefusal = error instanceof Koa.HttpError && error.expose && !context.res.headersSent;
      await (isRefusal ? sendError(context, error.status, error.message) : answerError(context, error, log));
    }
    observeRequest(context, performance.now() - begin, router, log, observe);
  };
}
