/** At most `limit` requests in any `lengthMs` milliseconds. */
export interface Window {
  readonly limit: number;
  readonly lengthMs: number;
}

/** After one request was recorded or refused, in whole milliseconds of the log's own clock. */
export interface WindowState {
  readonly accepted: boolean;
  /** Requests in the window, including this one if it was accepted. */
  readonly count: number;
  readonly oldestAt: number;
  /** When the request was made that has to leave before the next one is accepted. */
  readonly blockingAt: number;
  readonly now: number;
}
