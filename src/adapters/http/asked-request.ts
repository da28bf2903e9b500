import type { Snapshot } from '../../domain/model/snapshot.js';
import type { AnswerKind } from '../../domain/policies/cache-lifetimes.js';

/** What a request asks, as its address says. */
export interface AskedRequest {
  /** The path of the endpoint that answers, with its variable part by name. */
  readonly route: string;
  readonly kind: AnswerKind;
  /** In canonical form. */
  readonly request: string;
  /** The answer to it, but for its rendering as JSON. */
  readonly answer: (organizationId: string, snapshot: Snapshot) => Promise<object>;
}
