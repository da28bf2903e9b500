import type { Snapshot } from '../../domain/model/snapshot.js';
import type { AnswerKind } from '../../domain/policies/cache-lifetimes.js';

/** What a request asks for, parsed from its address. */
export interface AskedRequest {
  /** The path of the endpoint that answers, with the name of its variable part. */
  readonly route: string;
  readonly kind: AnswerKind;
  /** In canonical form. */
  readonly request: string;
  /** Computes the answer, without rendering it as JSON. */
  readonly answer: (organizationId: string, snapshot: Snapshot) => Promise<object>;
}
