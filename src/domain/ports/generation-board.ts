import type { RaisedGeneration } from '../model/raised-generation.js';

/** Where all processes see the generations that were reached. It may forget them, and be behind for a moment. */
export interface GenerationBoard {
  /**
   * A generation that is lower than what the board shows changes nothing. False when the board could not be reached: it has to be
   * mended later.
   */
  publish(raised: readonly RaisedGeneration[]): Promise<boolean>;
}
