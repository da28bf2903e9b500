import type { RaisedGeneration } from '../model/raised-generation.js';

/** Where all processes see the generations that were reached. It may forget them, and be behind for a moment. */
export interface PublishedGenerations {
  /**
   * A generation that is lower than what the list of published generations shows changes nothing. False when the list of published generations could not be reached: it has to be
   * mended later.
   */
  publish(raised: readonly RaisedGeneration[]): Promise<boolean>;
}
