import type Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import type { AdmitRequestHandler } from '../../../domain/admission/admit-request.js';
import type { AnswerInOutageHandler } from '../../../domain/answers/answer-in-outage.js';
import type { Window } from '../../../domain/model/window.js';
import type { Clock } from '../../../domain/ports/clock.js';
import type { Log } from '../../../domain/ports/log.js';
import type { Endpoint } from '../endpoints/operations.js';
import { admitCaller } from '../request/admit-caller.js';
import type { ApiState } from '../request/api-state.js';
import { identifyRequest } from '../request/identify-request.js';
import { readTarget } from '../request/read-target.js';
import { answerError } from '../response/answer-error.js';
import { answerRequest } from './answer-request.js';
import type { ApiMiddleware } from './api-middleware.js';
import { apiRouter } from './api-router.js';
import { aroundMiddleware } from './around-middleware.js';
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

export function apiApplication(parts: ApiParts): Koa<ApiState> {
  const { middleware, log, observe } = parts;
  const application = new Koa<ApiState>();
  const router = apiRouter(parts.endpoints);
  if (middleware.length > 0) application.use(aroundMiddleware(router, log, observe));
  for (const each of middleware) application.use(each);
  application.use(serveRequest(parts, router));
  // Errors while an answer is being sent: mostly callers that disconnect.
  application.on('error', (error: unknown) => log.debug('the response was not sent completely', { error }));
  return application;
}

/**
 * The order of work for every request, whatever its answer is. It is one function that awaits only when it has to: each further function
 * on the path of a HIT would cost as much as looking up the answer.
 */
function serveRequest(parts: ApiParts, router: Router<ApiState>): Middleware<ApiState> {
  const { log, observe } = parts;
  const hasNoMiddleware = parts.middleware.length === 0;
  const admit = admitCaller(parts);
  const answer = answerRequest(router, parts.answers);
  return async (context) => {
    const begin = performance.now();
    if (hasNoMiddleware) {
      readTarget(context);
      identifyRequest(context);
    }
    try {
      await admit(context);
      const sent = answer(context);
      if (sent instanceof Promise) await sent;
    } catch (error) {
      const sent = answerError(context, error, log);
      if (sent instanceof Promise) await sent;
    }
    if (hasNoMiddleware) observeRequest(context, performance.now() - begin, router, log, observe);
  };
}
