import type { Static } from 'typebox';
import type { Snapshot } from '../../domain/model/snapshot.js';
import type { Operation } from './operations.js';

/** An operation and the computation of its answers. */
export type Endpoint<Described extends Operation = Operation> = Described & {
  /** Computes the answer, without rendering it as JSON. `segment` is the variable part of the path, if there is one. */
  answer(
    organizationId: string,
    query: Static<Described['query']>,
    segment: string,
    snapshot: Snapshot,
  ): Promise<Static<Described['content']>>;
};
