import { DomainError } from '../../../domain/errors.js';
import type { Awaitable } from '../../../domain/model/awaitable.js';
import type { Log } from '../../../domain/ports/log.js';
import type { ApiContext } from '../request/api-state.js';
import { RequestError } from '../request/request-error.js';
import { ERROR_ANSWERS, errorEnvelope, UNEXPECTED_ERROR } from './error-answers.js';
import { respond } from './respond.js';

/**
 * Sends every error in the envelope. An error that is not a refusal is a server error: its cause is logged and never sent to the caller.
 */
export function answerError(context: ApiContext, error: unknown, log: Log): Awaitable<void> {
  if (error instanceof DomainError) {
    const { status, message } = ERROR_ANSWERS[error.code];
    return sendError(context, status, message(''));
  }
  if (error instanceof RequestError) {
    const { status, message } = ERROR_ANSWERS[error.code];
    return sendError(context, status, message(error.details));
  }
  log.error('request failed', { requestId: context.state.requestId, error });
  // Middleware may throw after the answer was sent; the answer stays as it is.
  if (context.res.headersSent) return;
  return sendError(context, UNEXPECTED_ERROR.status, UNEXPECTED_ERROR.message);
}

export function sendError(context: ApiContext, status: number, message: string): Awaitable<void> {
  const body = Buffer.from(JSON.stringify(errorEnvelope(status, message)));
  context.state.headers.push('Cache-Control', 'no-store', 'Vary', 'Accept-Encoding');
  return respond(context, status, body, null);
}
