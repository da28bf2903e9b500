import type { RaisedGeneration } from '../../model/read-model.js';

/**
 * Where processes learn of a raise sooner than by poll. It may lose generations, lag and be
 * unreachable, since the higher number counts.
 */
export interface PublishedGenerations {
  /** Ignores what is lower than the published one; does not fail if it cannot be reached. */
  publish(raised: readonly RaisedGeneration[]): Promise<void>;
  /** 0: there is none. Null: the list cannot be read. */
  published(organizationId: string): Promise<number | null>;
}
