import { randomUUID } from 'node:crypto';
import Koa, { type Middleware } from 'koa';
import {
  type Admission,
  type AdmitRequestHandler,
  CountedFailure,
} from '../../../domain/admission/admit-request.js';
import type { AnswerRequestHandler, GivenAnswer } from '../../../domain/answers/answer-request.js';
import { DomainError, KeyRefused } from '../../../domain/errors.js';
import type { Window } from '../../../domain/model/window.js';
import type { Clock } from '../../../domain/ports/system/clock.js';
import type { Log } from '../../../domain/ports/system/log.js';
import type { Endpoint } from '../endpoints/endpoints.js';
import type { ApiContext, ApiState } from '../request/api-state.js';
import { minGenerationOf, pathOf } from '../request/request-parser.js';
import { sendError, sendRefusal } from '../response/send-response.js';
import { ApiRouter } from './api-router.js';

/**
 * Koa middleware that runs before the key of a request is checked. Middleware that does not call
 * `next` answers by itself; an error with a status below 500 is sent to the caller.
 */
export type ApiMiddleware = Middleware<{ readonly requestId: string }>;

/** Without anything that the caller wrote: callers put secrets in any place by mistake. */
export interface ServedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  /** The verdict of the rate limit; null where the caller could not be identified. */
  readonly verdict: 'admitted' | 'refused' | 'unauthenticated' | null;
  /** Null: an error. */
  readonly source: GivenAnswer['source'] | null;
  readonly milliseconds: number;
}

export type ObserveRequest = (request: ServedRequest) => void;

export interface ApiParts {
  readonly endpoints: readonly Endpoint[];
  /** Runs for each request before its key is checked. */
  readonly middleware: readonly ApiMiddleware[];
  readonly admission: AdmitRequestHandler;
  readonly answers: Pick<AnswerRequestHandler, 'handle'>;
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
      await router.answer(context);
    } catch (error) {
      await sendError(context, error, log);
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

/** Checks the key and its window first; every response carries the state of the window. */
function admitCaller({ admission, window, clock }: ApiParts) {
  const limit = String(window.limit);
  const policy = `"per-key";q=${limit};w=${seconds(window.lengthMs)}`;
  const showRate = ({ headers }: ApiState, remaining: number, resetMs: number) => {
    headers.push('X-RateLimit-Limit', limit, 'X-RateLimit-Remaining', String(remaining));
    headers.push('X-RateLimit-Reset', String(clock.now() + resetMs), 'RateLimit-Policy', policy);
    headers.push('RateLimit', `"per-key";r=${remaining};t=${seconds(Math.max(0, resetMs))}`);
  };
  /** Without a valid key the window is unknown, so none of it is shown. */
  const refuse = (state: ApiState, error: unknown): never => {
    if (error instanceof CountedFailure) {
      showRate(state, error.verdict.remaining, error.verdict.resetMs);
      throw error.cause;
    }
    if (error instanceof KeyRefused) {
      const { reason, key } = error;
      state.refusedKey = { reason, keyId: key?.id, organizationId: key?.organizationId };
    }
    showRate(state, 0, window.lengthMs);
    throw error;
  };

  return async ({ state, req: { headers } }: ApiContext): Promise<void> => {
    let admitted: Admission;
    try {
      admitted = await admission.handle({
        key: keyOf(headers['x-api-key']),
        minGeneration: minGenerationOf(headers) ?? 0,
      });
    } catch (error) {
      return refuse(state, error);
    }
    const { key, verdict, generation, isConfirmed } = admitted;
    state.caller = {
      keyId: key.id,
      organizationId: key.organizationId,
      generation,
      isConfirmed,
      confirm: () => admission.confirm(admitted),
    };
    showRate(state, verdict.remaining, verdict.resetMs);
    if (!verdict.admitted) {
      state.headers.push('Retry-After', String(Math.max(1, seconds(verdict.retryAfterMs))));
      throw new DomainError('over-limit');
    }
  };
}

/** Rounded up, so that a caller that waits this long has waited long enough. */
function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}

/** Node joins repeated headers to one text, which is never a key. */
function keyOf(header: string | readonly string[] | undefined): string | null {
  return typeof header === 'string' && header !== '' ? header : null;
}

/** Writes one log line for each request, and counts it. */
function observeRequest(
  context: ApiContext,
  milliseconds: number,
  router: ApiRouter,
  log: Log,
  observe: ObserveRequest,
): void {
  const { state, method, status } = context;
  const request: ServedRequest = {
    method,
    route: state.route ?? router.routeOf(context.path),
    status,
    verdict: verdictOf(state, status),
    source: state.source ?? null,
    milliseconds,
  };
  observe(request);
  const details = {
    requestId: state.requestId,
    keyId: state.caller?.keyId,
    organizationId: state.caller?.organizationId,
    method,
    route: request.route,
    status,
    cache: state.source,
    milliseconds: Math.round(milliseconds * 10) / 10,
  };
  log.info('request', state.refusedKey === undefined ? details : { ...details, ...state.refusedKey });
}

/** A request that Node's parser refused: nothing but its status is known. */
export function observeUnread(status: number, log: Log, observe: ObserveRequest): void {
  observe({ method: 'none', route: 'none', status, verdict: null, source: null, milliseconds: 0 });
  log.info('request', { route: 'none', status });
}

function verdictOf({ caller }: ApiState, status: number): ServedRequest['verdict'] {
  if (status === 401) return 'unauthenticated';
  if (caller === undefined) return null;
  return status === 429 ? 'refused' : 'admitted';
}
