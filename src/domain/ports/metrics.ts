export type CountedEvent =
  | 'redis-lost'
  | 'redis-regained'
  | 'redis-cache-lost'
  | 'redis-cache-regained'
  | 'without-redis'
  | 'limited-without-redis'
  | 'replica-lost'
  | 'replica-regained'
  | 'read-from-primary'
  | 'row-quarantined'
  | 'row-repaired'
  | 'work-failed'
  | 'total-repaired'
  | 'process-lost'
  | 'restart-failed';

/** Events that are counted for operators, because one log line for each would be too many. */
export interface Metrics {
  count(event: CountedEvent, times?: number): void;
}
