import type { Middleware, ParameterizedContext } from 'koa';
import { DomainError } from '../../../domain/errors.js';
import type { Log } from '../../../domain/ports/log.js';
import type { ApiState } from '../api-state.js';
import { ERROR_ANSWERS, errorEnvelope, UNEXPECTED_ERROR } from '../error-answers.js';
import { RequestError } from '../request-error.js';
import { respond } from '../respond.js';

/** Every error becomes the envelope. What is not a refusal is our fault: its cause goes to the log, never to the caller. */
export function answerErrors(log: Log): Middleware<ApiState> {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      if (error instanceof DomainError) {
        const { status, message } = ERROR_ANSWERS[error.code];
        await sendError(context, status, message(''));
      } else if (error instanceof RequestError) {
        const { status, message } = ERROR_ANSWERS[error.code];
        await sendError(context, status, message(error.details));
      } else {
        log.error('request failed', { requestId: context.state.requestId, error });
        await sendError(context, UNEXPECTED_ERROR.status, UNEXPECTED_ERROR.message);
      }
    }
  };
}

function sendError(context: ParameterizedContext<ApiState>, status: number, message: string): Promise<void> {
  const body = Buffer.from(JSON.stringify(errorEnvelope(status, message)));
  return respond(context, status, ['Cache-Control', 'no-store', 'Vary', 'Accept-Encoding'], body);
}
