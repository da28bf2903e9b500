import { Container } from 'inversify';
import type { PrometheusMetrics } from '../adapters/operations/prometheus-metrics.js';
import type { Tracing } from '../adapters/tracing/tracing.js';
import type { ApiConfiguration } from './configuration.js';
import { memoryState } from './modules/memory-state.js';
import { memoryStorage } from './modules/memory-storage.js';
import { postgresStorage } from './modules/postgres-storage.js';
import { readApi } from './modules/read-api.js';
import { redisState } from './modules/redis-state.js';
import { system } from './modules/system.js';
import { tracing } from './modules/tracing.js';

/** The API's parts, each bound to the adapter that the configuration names. */
export function apiContainer(
  configuration: ApiConfiguration,
  metrics: PrometheusMetrics,
  traces: Tracing | null = null,
): Container {
  const { storage, redisUrls, redisCacheUrls } = configuration;
  const container = new Container();
  container.load(
    system(configuration, metrics),
    storage.kind === 'postgres' ? postgresStorage(storage.url) : memoryStorage(),
    redisUrls === null ? memoryState() : redisState(redisUrls, redisCacheUrls),
    readApi(configuration),
  );
  if (traces !== null) container.load(tracing(traces));
  return container;
}
