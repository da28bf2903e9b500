import Router from '@koa/router';
import { DomainError } from '../../../domain/errors.js';
import type { Snapshot } from '../../../domain/model/snapshot.js';
import type { Endpoint } from '../endpoints/operations.js';
import type { ApiState } from '../request/api-state.js';
import { minGenerationProblems } from '../request/min-generation.js';
import { requestReader } from '../request/request-reader.js';

/** Matches exactly the given endpoints, and reads the request of the matching one. */
export function apiRouter(endpoints: readonly Endpoint[]): Router<ApiState> {
  const router = new Router<ApiState>({ sensitive: true });
  for (const endpoint of endpoints) {
    const read = requestReader(endpoint);
    const { path: route, kind } = endpoint;
    router.get(route, (context) => {
      const problems = minGenerationProblems(context.req.headers);
      const { segment, query, request } = read(context.captures?.[0] ?? '', context.querystring, problems);
      // PostgreSQL stores no text with a NUL, so no blog has this name.
      if (segment.includes('\0')) throw new DomainError('blog-not-found');
      const answer = (organizationId: string, snapshot: Snapshot) =>
        endpoint.answer(organizationId, query, segment, snapshot);
      context.state.parsed = { route, kind, request, answer };
    });
  }
  return router;
}
