import type { RaisedGeneration } from '../model/read-model.js';

/** Where all processes see the current generations. It may lose them, and may lag for a moment. */
export interface PublishedGenerations {
  /**
   * Ignores a generation that is lower than the published one. False if the list could not be reached: the caller has to republish later.
   */
  publish(raised: readonly RaisedGeneration[]): Promise<boolean>;
}
