import type { LastAnswer } from '../model/answer.js';
import type { Awaitable } from '../model/awaitable.js';

/**
 * What a response cache kept last for each request, also under an older generation or after its lifetime: for when no answer can be
 * computed. May forget any of it at any time.
 */
export interface LastAnswers {
  find(organizationId: string, request: string): Awaitable<LastAnswer | null>;
  /** For a request that has no answer any more. */
  forget(organizationId: string, request: string): Promise<void>;
}
