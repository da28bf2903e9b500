export type CountedEvent =
  | 'redis-breaker-opened'
  | 'redis-breaker-closed'
  | 'redis-cache-breaker-opened'
  | 'redis-cache-breaker-closed'
  | 'without-redis'
  | 'limited-without-redis'
  | 'replica-excluded'
  | 'replica-readmitted'
  | 'read-from-primary'
  | 'row-quarantined'
  | 'row-repaired'
  | 'job-failed'
  | 'session-failed'
  | 'total-repaired'
  | 'log-line-lost'
  | 'process-lost'
  | 'restart-failed';

/** Events that are counted for operators, because one log line for each would be too many. */
export interface Metrics {
  count(event: CountedEvent, times?: number): void;
}
