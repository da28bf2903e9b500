import type { Router, RouterContext } from '@koa/router';
import type { AnswerInOutageHandler } from '../../../domain/answers/answer-in-outage.js';
import { type Awaitable, mapAwaitable } from '../../../domain/model/awaitable.js';
import type { Snapshot } from '../../../domain/model/snapshot.js';
import { decodeComponent } from '../request/address.js';
import type { ApiContext, ApiState, ParsedRequest } from '../request/api-state.js';
import { knownAddresses } from '../request/known-addresses.js';
import { minGenerationOf } from '../request/min-generation.js';
import { RequestError } from '../request/request-error.js';
import { renderAnswer } from '../response/render-answer.js';
import { sendAnswer } from '../response/send-answer.js';

/** Answers an admitted request. A known address is neither matched nor parsed again. */
export function answerRequest(
  router: Router<ApiState>,
  answers: Pick<AnswerInOutageHandler, 'handle'>,
): (context: ApiContext) => Awaitable<void> {
  const addresses = knownAddresses();
  const route = router.routes();

  const answer = (context: ApiContext, parsed: ParsedRequest): Awaitable<void> => {
    const { state } = context;
    const { organizationId, generation, isConfirmed } = callerOf(state);
    const { request, kind } = parsed;
    state.parsed = parsed;
    const compute = async (snapshot: Snapshot) => renderAnswer(await parsed.answer(organizationId, snapshot));
    const cached = answers.handle({ organizationId, generation, request, kind, compute, isConfirmed });
    return mapAwaitable(cached, (found) => sendAnswer(context, found));
  };

  const readAndAnswer = async (context: ApiContext): Promise<void> => {
    // The router itself adds the other properties that this type requires.
    await route(context as RouterContext<ApiState>, async () => refuseUnrouted(router, context));
    const { parsed } = context.state;
    if (parsed === undefined) throw new Error('An endpoint did not set the parsed request');
    addresses.set(context.url, parsed);
    await answer(context, parsed);
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

/** A request without an endpoint has the wrong method, an invalid address, or an unknown path. */
function refuseUnrouted(router: Router<ApiState>, context: ApiContext): never {
  if (router.match(context.path, 'GET').route) {
    context.state.headers.push('Allow', 'GET, HEAD');
    throw new RequestError('method-not-allowed');
  }
  decodeComponent(context.path);
  throw new RequestError('unknown-path');
}
