import type { ParameterizedContext } from 'koa';
import type { Log } from '../../../domain/ports/system/log.js';
import type { CountedRequest } from '../../../domain/ports/system/metrics.js';
import type { EndpointRouter } from '../request/endpoint-router.js';
import type { Served } from './respond.js';

const UNKNOWN = { verdict: null, key: null, reason: null, source: null };

/** Writes one log line for each request, and counts it. */
export class RequestObserver {
  constructor(
    private readonly endpoints: Pick<EndpointRouter, 'routeOf'>,
    private readonly log: Log,
    private readonly count: (request: CountedRequest) => void,
  ) {}

  /** `served` is null if middleware answered by itself. */
  answered(
    { method, url, status, state }: Pick<ParameterizedContext, 'method' | 'url' | 'status' | 'state'>,
    served: Served | null,
    milliseconds: number,
  ): void {
    const route = this.endpoints.routeOf(url);
    const { verdict, key, reason, source } = served ?? UNKNOWN;
    this.count({ route, status, verdict, source, milliseconds });
    this.log.info('request', {
      requestId: state.requestId,
      ...(reason !== null && { reason }),
      keyId: key?.id,
      organizationId: key?.organizationId,
      method,
      route,
      status,
      cache: source ?? undefined,
      milliseconds: Math.round(milliseconds * 10) / 10,
    });
  }

  /** Refused by Node's parser: nothing but its status is known. */
  refusedUnread(status: number): void {
    this.count({ route: 'none', status, verdict: null, source: null, milliseconds: 0 });
    this.log.info('request', { route: 'none', status });
  }
}
