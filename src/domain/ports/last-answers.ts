import type { LastAnswer } from '../model/answer.js';

/** The last answer stored for each request, for when none can be computed. Any may be forgotten. */
export interface LastAnswers {
  find(organizationId: string, request: string): Promise<LastAnswer | null>;
  /** For a request that has no answer any more. */
  forget(organizationId: string, request: string): Promise<void>;
}
