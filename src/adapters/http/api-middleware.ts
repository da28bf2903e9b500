import type { Middleware } from 'koa';

/**
 * Koa's, for what a request goes through before its key is looked at. It finds the id of the request in `state.requestId`, and answers by
 * itself if it does not call `next`; an error that is thrown with a status below 500 is told to the caller in the form of all errors.
 */
export type ApiMiddleware = Middleware<{ readonly requestId: string }>;
