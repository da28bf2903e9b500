/** At most `limit` requests in any `lengthMs` milliseconds. */
export interface Window {
  readonly limit: number;
  readonly lengthMs: number;
}

/** The state of the request log after it recorded or refused one request. Times are from the log's own clock. */
export interface WindowState {
  readonly accepted: boolean;
  /** Requests in the window, including this one if it was accepted. */
  readonly count: number;
  readonly oldestAt: number;
  /**
   * When the request was made that must leave the window before the next one is accepted. Equal to `oldestAt` unless the limit was lowered.
   */
  readonly blockingAt: number;
  readonly now: number;
}
