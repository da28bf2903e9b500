import type Router from '@koa/router';
import { decodeComponent } from './address.js';
import type { ApiContext, ApiState } from './api-state.js';
import { RequestError } from './request-error.js';

/** A request without an endpoint has the wrong method, an invalid address, or an unknown path. */
export function refuseUnrouted(router: Router<ApiState>, context: ApiContext): never {
  if (router.match(context.path, 'GET').route) {
    context.state.headers.push('Allow', 'GET, HEAD');
    throw new RequestError('method-not-allowed');
  }
  decodeComponent(context.path);
  throw new RequestError('unknown-path');
}
