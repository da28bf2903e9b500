import type { CountedEvent } from '../../domain/ports/metrics.js';

export interface Description {
  readonly name: string;
  readonly help: string;
  /** The name in the previous version. It stays until the next major version, because existing alerts and dashboards use it. */
  readonly formerName?: string;
}

/** What Prometheus reads: the metric, and a copy under its former name. */
export function exposedAs<Described extends Description>(
  description: Described,
): readonly Omit<Described, 'formerName'>[] {
  const { formerName, ...present } = description;
  if (formerName === undefined) return [present];
  return [present, { ...present, name: formerName, help: `Deprecated: use ${present.name}` }];
}

/** Events, each counted when it happens. */
export const EVENTS: Readonly<Record<CountedEvent, Description>> = {
  'redis-lost': {
    name: 'blog_read_api_redis_lost_total',
    help: 'Times that Redis went away',
  },
  'redis-regained': {
    name: 'blog_read_api_redis_regained_total',
    help: 'Times that Redis came back',
  },
  'redis-cache-lost': {
    name: 'blog_read_api_redis_cache_lost_total',
    help: 'Times that the Redis of shared answers, or the connection that carries them, went away alone',
  },
  'redis-cache-regained': {
    name: 'blog_read_api_redis_cache_regained_total',
    help: 'Times that shared answers came back',
  },
  'without-redis': {
    name: 'blog_read_api_without_redis_total',
    help: 'Commands that were answered without Redis, of limiter, cache and generations together',
  },
  'limited-without-redis': {
    name: 'blog_read_api_limited_without_redis_total',
    help: 'Requests that this process counted on its own, while Redis was away',
  },
  'replica-lost': {
    name: 'blog_read_api_replica_lost_total',
    help: 'Times that a read replica did not answer, and was left alone',
  },
  'replica-regained': {
    name: 'blog_read_api_replica_regained_total',
    help: 'Times that a read replica answered again',
  },
  'read-from-primary': {
    name: 'blog_read_api_replica_fallbacks_total',
    help: 'Reads of content that went to the primary, because no read replica had them in a state that was new enough',
  },
  'row-quarantined': {
    name: 'blog_read_api_sync_quarantined_total',
    formerName: 'blog_read_api_sync_set_aside_total',
    help: 'Times that a row was quarantined, because it cannot be shown',
  },
  'row-repaired': {
    name: 'blog_read_api_sync_repaired_rows_total',
    help: 'Rows that differed from the dashboard though no change waited, and were mended: each is a bug',
  },
  'total-repaired': {
    name: 'blog_read_api_sync_repaired_totals_total',
    help: 'Totals of lists that were wrong when they were counted anew, and were mended: each is a bug',
  },
  'process-lost': {
    name: 'blog_read_api_processes_lost_total',
    help: 'API processes that ended though nobody had told them to',
  },
  'restart-failed': {
    name: 'blog_read_api_restarts_failed_total',
    help: 'Rolling restarts that were given up because a new process did not become ready',
  },
  'work-failed': {
    name: 'blog_read_api_sync_failures_total',
    help: 'Pieces of work and batches of changes that failed, though no server was away',
  },
};

/** Counted for each request. */
export const REQUESTS = {
  answered: {
    name: 'blog_read_api_requests_total',
    help: 'Requests by the template of their path (none: no such path) and status',
    labelNames: ['route', 'status'],
  },
  duration: {
    name: 'blog_read_api_request_duration_seconds',
    help: 'Time from the request to its answer, by the template of its path',
    labelNames: ['route'],
  },
  verdicts: {
    name: 'blog_read_api_admissions_total',
    help: 'What the limiter said: admitted, refused (429), or unauthenticated (401)',
    labelNames: ['verdict'],
  },
  sources: {
    name: 'blog_read_api_answers_total',
    help: 'Answers by where they came from: the memory of the process, what all processes share, computed, or stale, which may be outdated',
    labelNames: ['source'],
  },
} as const;

/** Reported by each read replica on a scrape. `replica` is its host, port and database. */
export const REPLICAS = {
  answered: {
    name: 'blog_read_api_replica_reads_total',
    help: 'Reads that a read replica answered',
    labelNames: ['replica'],
  },
  older: {
    name: 'blog_read_api_replica_older_total',
    help: 'Reads that a read replica had only in an older state, so that they were asked elsewhere',
    labelNames: ['replica'],
  },
  failed: {
    name: 'blog_read_api_replica_failures_total',
    help: 'Reads that failed on a read replica',
    labelNames: ['replica'],
  },
  leftAlone: {
    name: 'blog_read_api_replica_left_alone',
    help: '1 while a read replica is left alone, because it does not answer probes',
    labelNames: ['replica'],
    aggregator: 'max',
  },
} as const;

/** Read on a scrape, and left out where they cannot be read. `aggregator`: how values of several processes are merged, if not as a sum. */
export const GAUGES = {
  redisAway: {
    name: 'blog_read_api_redis_away',
    help: '1 while the breaker is open: Redis is away, and this process goes on by itself',
    aggregator: 'max',
  },
  redisCacheAway: {
    name: 'blog_read_api_redis_cache_away',
    help: '1 while shared answers are out of reach, and this process computes and caches its own',
    aggregator: 'max',
  },
  processes: {
    name: 'blog_read_api_processes',
    help: 'API processes that answer, where `--processes` says how many there should be',
  },
  poolInUse: {
    name: 'blog_read_api_read_pool_in_use',
    help: 'Connections to the read database that are at work',
  },
  poolWaiting: {
    name: 'blog_read_api_read_pool_waiting',
    help: 'Queries that wait for a connection to the read database',
  },
  syncLeads: {
    name: 'blog_read_api_sync_leads',
    help: '1 for the worker that leads, 0 for one that stands by',
  },
  syncLag: {
    name: 'blog_read_api_sync_lag_seconds',
    help: 'Age of the oldest change that waits; 0: none does',
  },
  syncQueue: {
    name: 'blog_read_api_sync_queue_length',
    help: 'Changes that wait',
  },
  syncCaptureBroken: {
    name: 'blog_read_api_sync_capture_broken',
    help: "What is not as it should be in the change capture in the dashboard's database; above 0: changes may be missed",
  },
  syncQuarantined: {
    name: 'blog_read_api_sync_quarantined_rows',
    formerName: 'blog_read_api_sync_rows_set_aside',
    help: 'Rows that are quarantined now',
  },
  syncOldestWork: {
    name: 'blog_read_api_sync_oldest_work_seconds',
    help: 'Age of the oldest work that takes more than one step and is unfinished; 0: there is none',
  },
  syncFailingWork: {
    name: 'blog_read_api_sync_failing_work',
    help: 'Pieces of work that failed and have not succeeded since',
  },
  generationsUnpublished: {
    name: 'blog_read_api_sync_unpublished_generations',
    help: 'Of the 100 organizations that changed last, those whose generation is not shown to all processes yet',
  },
  generationLag: {
    name: 'blog_read_api_sync_generation_lag_seconds',
    help: 'Time for which the oldest of these has been waiting; 0: none is',
  },
  generationAge: {
    name: 'blog_read_api_newest_generation_age_seconds',
    help: 'Time since anything changed in the read tables',
  },
} as const;

export type GaugeName = keyof typeof GAUGES;
