import type { Static, TObject } from 'typebox';
import type { AnswerKind } from '../../domain/policies/cache-lifetimes.js';

/** One of the paths of the API: what it takes, how long its answers live, and how an answer is computed. */
export interface Endpoint<Query extends TObject = TObject> {
  readonly path: string;
  readonly query: Query;
  readonly kind: AnswerKind;
  /** The answer as it is sent, but for its rendering as JSON. `segment` is the variable part of the path, if it has one. */
  answer(organizationId: string, query: Static<Query>, segment: string): Promise<object>;
}
