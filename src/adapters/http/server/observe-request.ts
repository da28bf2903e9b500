import type { GivenAnswer } from '../../../domain/answers/answer-in-outage.js';
import type { Log } from '../../../domain/ports/log.js';
import type { ApiContext, ApiState } from '../request/api-state.js';
import type { ApiRouter } from './api-router.js';

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

/** Writes one log line for each request, and counts it. */
export function observeRequest(
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
