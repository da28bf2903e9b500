import type { RaisedGeneration } from '../model/raised-generation.js';

/** The generations of the read tables themselves, from which a list of published generations that lags is mended. */
export interface GenerationHistory {
  /**
   * Up to `limit` organizations whose generation is above `generation`, lowest first; more only where the last of them share a
   * generation with others.
   */
  above(generation: number, limit: number): Promise<readonly RaisedGeneration[]>;
  /** The clock by which generations are raised, in their unit: a raise that begins later reaches this at least, unless the clock is set back. */
  now(): Promise<number>;
}
