/** At most `limit` requests in any `lengthMs` milliseconds. */
export interface Window {
  readonly limit: number;
  readonly lengthMs: number;
}

/** What the request log saw when it recorded, or refused to record, one request. Times are of the log's own clock. */
export interface WindowState {
  readonly accepted: boolean;
  /** Requests in the window, this one included if it was accepted. */
  readonly count: number;
  readonly oldestAt: number;
  /** The request that has to leave the window before another one gets in; `oldestAt`, unless the limit was lowered. */
  readonly blockingAt: number;
  readonly now: number;
}
