import type { Middleware } from 'koa';
import type { Clock } from '../../../domain/ports/clock.js';
import type { Log } from '../../../domain/ports/log.js';
import type { ApiState } from '../api-state.js';

/** One line a request. Without the query string: callers put secrets there by mistake. */
export function logRequest(log: Log, clock: Clock): Middleware<ApiState> {
  return async (context, next) => {
    const startedAt = clock.now();
    await next();
    log.info('request', {
      requestId: context.state.requestId,
      method: context.method,
      path: context.path,
      status: context.status,
      cache: context.response.get('X-Cache') || undefined,
      keyId: context.state.caller?.keyId,
      milliseconds: clock.now() - startedAt,
    });
  };
}
