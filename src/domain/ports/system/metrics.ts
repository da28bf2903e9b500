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
