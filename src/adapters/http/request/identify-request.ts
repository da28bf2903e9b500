import { randomUUID } from 'node:crypto';
import type { ApiContext } from './api-state.js';

const ACCEPTED_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's own id if there is one, so that the caller can find its request in our log; otherwise a new one. */
export function identifyRequest({ state, req: { headers } }: ApiContext): void {
  const given = headers['x-request-id'];
  state.requestId = typeof given === 'string' && ACCEPTED_ID.test(given) ? given : randomUUID();
  state.headers = ['X-Request-Id', state.requestId];
}
