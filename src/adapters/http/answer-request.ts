import type { Router, RouterContext } from '@koa/router';
import { type Awaitable, whenThere } from '../../domain/model/awaitable.js';
import type { Snapshot } from '../../domain/model/snapshot.js';
import type { AnswerInOutageHandler } from '../../domain/queries/answer-in-outage.js';
import type { ApiContext, ApiState } from './api-state.js';
import type { AskedRequest } from './asked-request.js';
import { KnownAddresses } from './known-addresses.js';
import { minGenerationOf } from './min-generation.js';
import { refuseUnrouted } from './refuse-unrouted.js';
import { renderAnswer } from './render-answer.js';
import { sendAnswer } from './send-answer.js';

/** Answers an admitted request. A known address is neither matched nor parsed again. */
export function answerRequest(
  router: Router<ApiState>,
  answers: Pick<AnswerInOutageHandler, 'handle'>,
): (context: ApiContext) => Awaitable<void> {
  const addresses = new KnownAddresses();
  const route = router.routes();

  const answer = (context: ApiContext, asked: AskedRequest): Awaitable<void> => {
    const { state } = context;
    const { organizationId, generation, isConfirmed } = callerOf(state);
    const { request, kind } = asked;
    state.asked = asked;
    const compute = async (snapshot: Snapshot) => renderAnswer(await asked.answer(organizationId, snapshot));
    const cached = answers.handle({ organizationId, generation, request, kind, compute, isConfirmed });
    return whenThere(cached, (found) => sendAnswer(context, found));
  };

  const readAndAnswer = async (context: ApiContext): Promise<void> => {
    // The router itself adds the other properties that this type requires.
    await route(context as RouterContext<ApiState>, async () => refuseUnrouted(router, context));
    const { asked } = context.state;
    if (asked === undefined) throw new Error('An endpoint did not tell what was asked of it');
    addresses.remember(context.url, asked);
    await answer(context, asked);
  };

  return (context) => {
    const { method, req } = context;
    const isReadable = (method === 'GET' || method === 'HEAD') && minGenerationOf(req.headers) !== null;
    const known = isReadable ? addresses.get(context.url) : undefined;
    return known === undefined ? readAndAnswer(context) : answer(context, known);
  };
}

function callerOf({ caller }: ApiState) {
  if (caller === undefined) throw new Error('A request is to be answered without having been admitted');
  return caller;
}
