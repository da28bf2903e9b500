import {
  type Admission,
  type AdmitRequestHandler,
  CountedFailure,
} from '../../../domain/admission/admit-request.js';
import { DomainError, KeyRefused } from '../../../domain/errors.js';
import type { Window } from '../../../domain/model/window.js';
import type { Clock } from '../../../domain/ports/clock.js';
import type { ApiContext, ApiState } from './api-state.js';
import { minGenerationOf } from './request-parser.js';

interface AdmissionParts {
  readonly admission: AdmitRequestHandler;
  readonly window: Window;
  readonly clock: Clock;
}

/** Checks the key and its window first; every response carries the state of the window. */
export function admitCaller({ admission, window, clock }: AdmissionParts) {
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
    state.caller = { keyId: key.id, organizationId: key.organizationId, generation, isConfirmed };
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
