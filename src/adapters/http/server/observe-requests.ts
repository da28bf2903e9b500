import type { ParameterizedContext } from 'koa';
import type { GivenAnswer } from '../../../domain/answers/answer-request.js';
import type { Log, LogDetails } from '../../../domain/ports/system/log.js';
import type { EndpointRouter } from '../request/endpoint-router.js';
import type { Identity, Served } from './respond.js';

/** Without anything that the caller wrote: callers put secrets in any place by mistake. */
export interface CountedRequest {
  readonly route: string;
  readonly status: number;
  /** The verdict of the rate limit; null where the caller could not be identified. */
  readonly verdict: Identity['verdict'];
  /** Null: an error. */
  readonly source: GivenAnswer['source'] | null;
  readonly milliseconds: number;
}

export type CountRequest = (request: CountedRequest) => void;

/** `served` is null if middleware answered by itself. */
export type ObserveRequest = (
  context: Pick<ParameterizedContext, 'method' | 'url' | 'status' | 'state'>,
  served: Served | null,
  milliseconds: number,
) => void;

/** Writes one log line for each request, and counts it. */
export function observeRequests(
  router: Pick<EndpointRouter, 'routeOf'>,
  log: Log,
  count: CountRequest,
): ObserveRequest {
  return ({ method, url, status, state }, served, milliseconds) => {
    const route = router.routeOf(url);
    const identity: Identity = served?.identity ?? { verdict: null };
    const source = served?.source ?? null;
    count({ route, status, verdict: identity.verdict, source, milliseconds });
    log.info('request', {
      requestId: state.requestId,
      ...callerOf(identity),
      method,
      route,
      status,
      cache: source ?? undefined,
      milliseconds: Math.round(milliseconds * 10) / 10,
    });
  };
}

function callerOf(identity: Identity): LogDetails {
  switch (identity.verdict) {
    case null:
      return {};
    case 'unauthenticated': {
      const { reason, key } = identity.refusal;
      return { reason, keyId: key?.id, organizationId: key?.organizationId };
    }
    default:
      return { keyId: identity.key.id, organizationId: identity.key.organizationId };
  }
}

/** A request that Node's parser refused: nothing but its status is known. */
export function observeUnread(status: number, log: Log, count: CountRequest): void {
  count({ route: 'none', status, verdict: null, source: null, milliseconds: 0 });
  log.info('request', { route: 'none', status });
}
