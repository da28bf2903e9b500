import type { Static } from 'typebox';
import type { Snapshot } from '../../domain/model/snapshot.js';
import type { Operation } from './operations.js';

/** An operation, and how its answers are computed. */
export type Endpoint<Described extends Operation = Operation> = Described & {
  /** The answer as it is sent, but for its rendering as JSON. `segment` is the variable part of the path, if it has one. */
  answer(
    organizationId: string,
    query: Static<Described['query']>,
    segment: string,
    snapshot: Snapshot,
  ): Promise<Static<Described['content']>>;
};
