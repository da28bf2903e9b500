import type { Middleware } from 'koa';

/**
 * Koa middleware that runs before the key of a request is checked. The id of the request is in `state.requestId`. Middleware that does not
 * call `next` answers by itself. An error that it throws with a status below 500 is sent to the caller in the error envelope.
 */
export type ApiMiddleware = Middleware<{ readonly requestId: string }>;
