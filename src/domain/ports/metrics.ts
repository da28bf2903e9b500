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

/** Events for operators, by number: a line in the log for each would drown them. */
export interface Metrics {
  count(event: CountedEvent, times?: number): void;
}
