import type { Middleware } from 'koa';

/**
 * Koa middleware that runs before the key of a request is checked. Middleware that does not call
 * `next` answers by itself; an error with a status below 500 is sent to the caller.
 */
export type ApiMiddleware = Middleware<{ readonly requestId: string }>;
