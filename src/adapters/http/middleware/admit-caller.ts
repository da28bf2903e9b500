import type { Middleware, ParameterizedContext } from 'koa';
import { DomainError } from '../../../domain/errors.js';
import type { Window } from '../../../domain/model/window.js';
import type { Clock } from '../../../domain/ports/clock.js';
import type { AdmitRequestHandler } from '../../../domain/queries/admit-request.js';
import { CountedFailure } from '../../../domain/queries/counted-failure.js';
import type { ApiState } from '../api-state.js';

/** The key and its window come before everything else of a request, and every answer tells where the window stands. */
export function admitCaller(
  handler: AdmitRequestHandler,
  window: Window,
  clock: Clock,
): Middleware<ApiState> {
  const admission = async (context: ParameterizedContext<ApiState>) => {
    try {
      return await handler.handle({ key: context.get('X-API-Key') || null });
    } catch (error) {
      if (error instanceof CountedFailure) {
        showRate(context.state, window, error.verdict.remaining, error.verdict.resetAt);
        throw error.cause;
      }
      // For a caller who has no window: without a valid key, or while nobody can say whether the key is valid.
      showRate(context.state, window, 0, clock.now() + window.lengthMs);
      throw error;
    }
  };
  return async (context, next) => {
    const { key, verdict, generation } = await admission(context);
    context.state.caller = { keyId: key.id, organizationId: key.organizationId, generation };
    showRate(context.state, window, verdict.remaining, verdict.resetAt);
    if (!verdict.admitted) {
      const seconds = Math.max(1, Math.ceil(verdict.retryAfterMs / 1000));
      context.state.headers.push('Retry-After', String(seconds));
      throw new DomainError('over-limit');
    }
    await next();
  };
}

function showRate({ headers }: ApiState, window: Window, remaining: number, resetAt: number): void {
  headers.push('X-RateLimit-Limit', String(window.limit));
  headers.push('X-RateLimit-Remaining', String(remaining));
  headers.push('X-RateLimit-Reset', String(resetAt));
}
