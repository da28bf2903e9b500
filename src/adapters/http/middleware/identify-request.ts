import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { ApiState } from '../api-state.js';

const ACCEPTED_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's own id, so that it can find its request in our log; else a new one. */
export function identifyRequest(): Middleware<ApiState> {
  return (context, next) => {
    const given = context.get('X-Request-Id');
    context.state.requestId = ACCEPTED_ID.test(given) ? given : randomUUID();
    context.state.headers = ['X-Request-Id', context.state.requestId];
    return next();
  };
}
