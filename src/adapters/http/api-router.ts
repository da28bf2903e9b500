import Router from '@koa/router';
import { DomainError } from '../../domain/errors.js';
import type { AnswerFromCacheHandler } from '../../domain/queries/answer-from-cache.js';
import type { ApiState, Caller } from './api-state.js';
import type { Endpoint } from './endpoint.js';
import { renderAnswer } from './render-answer.js';
import { requestReader } from './request-reader.js';
import { sendAnswer } from './send-answer.js';

/** Exactly the given endpoints. */
export function apiRouter(endpoints: readonly Endpoint[], answers: AnswerFromCacheHandler): Router<ApiState> {
  const router = new Router<ApiState>({ sensitive: true });
  for (const endpoint of endpoints) {
    const read = requestReader(endpoint);
    router.get(endpoint.path, async (context) => {
      context.state.route = endpoint.path;
      const { segment, query, request } = read(context.captures?.[0] ?? '', context.querystring);
      // No text of PostgreSQL's holds a NUL, so no blog has this name.
      if (segment.includes('\0')) throw new DomainError('blog-not-found');

      const { organizationId, generation } = callerOf(context.state);
      const cached = await answers.handle({
        organizationId,
        generation,
        request,
        kind: endpoint.kind,
        compute: async () => renderAnswer(await endpoint.answer(organizationId, query, segment)),
      });
      context.state.source = cached.source;
      await sendAnswer(context, cached);
    });
  }

  return router;
}

function callerOf({ caller }: ApiState): Caller {
  if (caller === undefined) throw new Error('A request reached the router without having been admitted');
  return caller;
}
