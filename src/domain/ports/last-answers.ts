import type { LastAnswer } from '../model/answer.js';
import type { Awaitable } from '../model/awaitable.js';

/**
 * The last answer that a response cache stored for each request, also if its generation is older or its lifetime has ended. Used when no
 * answer can be computed. An implementation may forget any of them at any time.
 */
export interface LastAnswers {
  find(organizationId: string, request: string): Awaitable<LastAnswer | null>;
  /** For a request that has no answer any more. */
  forget(organizationId: string, request: string): Promise<void>;
}
