import type { RaisedGeneration } from '../../model/read-model.js';

/**
 * Each change is raised above all earlier ones of any organization, so whoever remembers the
 * highest generation that it has seen misses none.
 */
export interface GenerationHistory {
  /** Up to `limit`, lowest first; more only if the last ones share a generation. */
  above(generation: number, limit: number): Promise<readonly RaisedGeneration[]>;
  /** The highest generation of all organizations. 0: there is none. */
  newest(): Promise<number>;
}
