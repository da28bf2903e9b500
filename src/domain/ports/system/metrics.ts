export type CountedEvent =
  | 'without-redis'
  | 'limited-without-redis'
  | 'cache-failed'
  | 'row-unshown'
  | 'row-repaired'
  | 'job-failed'
  | 'session-failed'
  | 'total-repaired'
  | 'process-lost'
  | 'webhook-told'
  | 'webhook-failed';

/** Events that are counted for operators, because one log line for each would be too many. */
export interface Metrics {
  count(event: CountedEvent, times?: number): void;
}

/** Without anything that the caller wrote: callers put secrets in any place by mistake. */
export interface CountedRequest {
  readonly route: string;
  readonly status: number;
  /** Null: the caller could not be identified. */
  readonly verdict: 'admitted' | 'refused' | 'unauthenticated' | null;
  /** Null: an error. */
  readonly source: 'process' | 'shared' | 'computed' | 'stale' | null;
  readonly milliseconds: number;
}
