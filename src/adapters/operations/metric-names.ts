import type { CountedEvent } from '../../domain/ports/system/metrics.js';

export interface Description {
  readonly name: string;
  readonly help: string;
}

/** Counters of events. */
export const EVENTS: Readonly<Record<CountedEvent, Description>> = {
  'without-redis': {
    name: 'blog_read_api_without_redis_total',
    help: 'Commands of the rate limit and the cache that used their fallback instead of Redis',
  },
  'limited-without-redis': {
    name: 'blog_read_api_limited_without_redis_total',
    help: 'Requests that this process counted by itself while the circuit breaker was open',
  },
  'cache-failed': {
    name: 'blog_read_api_cache_failures_total',
    help: "Calls of an extension's cache that failed: the answers were computed",
  },
  'row-unshown': {
    name: 'blog_read_api_sync_unshown_total',
    help: 'Times that a row was tried and cannot be shown',
  },
  'row-repaired': {
    name: 'blog_read_api_sync_repaired_rows_total',
    help: 'Rows that differed from the dashboard without a waiting change, and were repaired: each is a bug',
  },
  'total-repaired': {
    name: 'blog_read_api_sync_repaired_totals_total',
    help: 'Totals of lists that were wrong and were repaired: each is a bug',
  },
  'webhook-told': {
    name: 'blog_read_api_webhooks_told_total',
    help: 'Messages that an endpoint of WEBHOOKS accepted',
  },
  'webhook-failed': {
    name: 'blog_read_api_webhooks_failed_total',
    help: 'Messages that an endpoint of WEBHOOKS did not accept; they are sent again',
  },
  'process-lost': {
    name: 'blog_read_api_processes_lost_total',
    help: 'API processes that ended without having been stopped',
  },
  'job-failed': {
    name: 'blog_read_api_sync_failures_total',
    help: 'Job steps and batches of changes that failed although every server was available',
  },
  'session-failed': {
    name: 'blog_read_api_sync_session_failures_total',
    help: 'Sessions of the sync worker that failed and were retried: a server is unavailable, or another session blocks the worker',
  },
};

/** Counted for each request. */
export const REQUESTS = {
  answered: {
    name: 'blog_read_api_requests_total',
    help: 'Requests by the template of their path (none: no such path) and by status',
    labelNames: ['route', 'status'],
  },
  duration: {
    name: 'blog_read_api_request_duration_seconds',
    help: 'Time from a request to its response, by the template of its path',
    labelNames: ['route'],
  },
  verdicts: {
    name: 'blog_read_api_admissions_total',
    help: 'Verdicts of the rate limit: admitted, refused (429), or unauthenticated (401)',
    labelNames: ['verdict'],
  },
  sources: {
    name: 'blog_read_api_answers_total',
    help: 'Answers by source: the local cache of the process, the shared cache, computed, or stale (possibly outdated)',
    labelNames: ['source'],
  },
} as const;

/**
 * Read on a scrape; `aggregator` says how the values of several processes merge, if not as a sum.
 */
export const GAUGES = {
  redisBreakerOpen: {
    name: 'blog_read_api_redis_breaker_open',
    help: '1 while the circuit breaker of Redis is open: this process limits and caches by itself',
    aggregator: 'max',
  },
  redisCacheBreakerOpen: {
    name: 'blog_read_api_redis_cache_breaker_open',
    help: '1 while the circuit breaker of the shared cache is open: this process computes and caches its own answers',
    aggregator: 'max',
  },
  processes: {
    name: 'blog_read_api_processes',
    help: 'API processes that run; with `--processes`, it should be the number of processes',
  },
  poolInUse: {
    name: 'blog_read_api_read_pool_in_use',
    help: 'Connections to the read database that are in use',
  },
  poolWaiting: {
    name: 'blog_read_api_read_pool_waiting',
    help: 'Queries that wait for a connection to the read database',
  },
  syncAge: {
    name: 'blog_read_api_sync_age_seconds',
    help: 'Age of the last beat of a sync worker in the read tables that this process reads; omitted if there was none',
    aggregator: 'max',
  },
  syncLeader: {
    name: 'blog_read_api_sync_leader',
    help: '1 for the leader, 0 for a standby',
  },
  syncLag: {
    name: 'blog_read_api_sync_lag_seconds',
    help: 'Age of the oldest change, or step of a job, that is not applied; 0 if there is none',
  },
  syncQueue: {
    name: 'blog_read_api_sync_queue_length',
    help: 'Waiting changes; 10001 if there are more than 10000',
  },
  syncCaptureBroken: {
    name: 'blog_read_api_sync_capture_broken',
    help: "Defects of the change capture in the dashboard's database; above 0, changes may be missed",
  },
  syncUnshown: {
    name: 'blog_read_api_sync_unshown_rows',
    help: 'Rows that cannot be shown as they are now',
  },
  syncOldestJob: {
    name: 'blog_read_api_sync_oldest_job_seconds',
    help: 'Age of the oldest unfinished job; 0 if there is none',
  },
  syncFailingJobs: {
    name: 'blog_read_api_sync_failing_jobs',
    help: 'Jobs that failed recently and are retried',
  },
  webhooksFailing: {
    name: 'blog_read_api_webhooks_failing',
    help: 'Messages that an endpoint of WEBHOOKS has refused and does not have yet',
  },
  generationAge: {
    name: 'blog_read_api_newest_generation_age_seconds',
    help: 'Time since the read tables last changed',
  },
} as const;

export type GaugeName = keyof typeof GAUGES;
