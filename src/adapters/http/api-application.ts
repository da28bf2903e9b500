import Koa from 'koa';
import type { Window } from '../../domain/model/window.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { Log } from '../../domain/ports/log.js';
import type { AdmitRequestHandler } from '../../domain/queries/admit-request.js';
import type { AnswerFromCacheHandler } from '../../domain/queries/answer-from-cache.js';
import { apiRouter } from './api-router.js';
import type { ApiState } from './api-state.js';
import type { Endpoint } from './endpoint.js';
import { admitCaller } from './middleware/admit-caller.js';
import { answerErrors } from './middleware/answer-errors.js';
import { identifyRequest } from './middleware/identify-request.js';
import { type ObserveRequest, observeRequest } from './middleware/observe-request.js';
import { readTarget } from './middleware/read-target.js';
import { refuseUnrouted } from './middleware/refuse-unrouted.js';

export interface ApiParts {
  readonly endpoints: readonly Endpoint[];
  readonly admission: AdmitRequestHandler;
  readonly answers: AnswerFromCacheHandler;
  readonly window: Window;
  readonly clock: Clock;
  readonly log: Log;
  readonly observe: ObserveRequest;
}

/** The order of work for every request, from the outside in. */
export function apiApplication({
  endpoints,
  admission,
  answers,
  window,
  clock,
  log,
  observe,
}: ApiParts): Koa<ApiState> {
  const application = new Koa<ApiState>();
  const router = apiRouter(endpoints, answers);
  application.use(readTarget());
  application.use(identifyRequest());
  application.use(observeRequest(router, log, observe));
  application.use(answerErrors(log));
  application.use(admitCaller(admission, window, clock));
  application.use(router.routes());
  application.use(refuseUnrouted(router));
  // What goes wrong once an answer is on its way: mostly callers who hang up.
  application.on('error', (error: unknown) => log.debug('response cut short', { error }));
  return application;
}
