import type { RaisedGeneration } from '../model/read-model.js';

/** The generations in the read tables. Published generations that lag are republished from it. */
export interface GenerationHistory {
  /**
   * Up to `limit` organizations whose generation is above `generation`, lowest first. More only if the last ones share the same generation.
   */
  above(generation: number, limit: number): Promise<readonly RaisedGeneration[]>;
  /** The clock that issues generations, in their unit. A later raise gets at least this number, unless the clock is set back. */
  now(): Promise<number>;
}
