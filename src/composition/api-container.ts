import type { Container, ContainerModule } from 'inversify';
import type { PrometheusMetrics } from '../adapters/operations/prometheus-metrics.js';
import type { Tracing } from '../adapters/tracing/tracing.js';
import type { ApiConfiguration, StorageConfiguration } from './configuration.js';
import { type ExtendedContainer, extendedApi, loadDefaults } from './extensions/extend.js';
import { type ApiNeeds, needsOfApi } from './extensions/ports-of-programs.js';
import { memoryState } from './modules/memory-state.js';
import { memoryStorage } from './modules/memory-storage.js';
import { postgresStorage } from './modules/postgres-storage.js';
import { redisState } from './modules/redis-state.js';
import { serving } from './modules/serving.js';
import { system } from './modules/system.js';
import { tracing } from './modules/tracing.js';

/** The parts of the API. Each is bound by an extension, or else to the adapter that the configuration names. */
export function apiContainer(
  configuration: ApiConfiguration,
  metrics: PrometheusMetrics,
  traces: Tracing | null = null,
  extended: ExtendedContainer = extendedApi([], {}),
): Container {
  const { storage, redisUrls } = configuration;
  const { container, replaced, extensions } = extended;
  const needs = needsOfApi(replaced, redisUrls !== null);
  loadDefaults(extended, [
    system(configuration, metrics),
    ...(storage === null ? [] : [storageModule(storage, needs)]),
    redisUrls === null ? memoryState() : redisState(redisUrls, configuration, needs),
    serving(configuration, needs, extensions, traces),
  ]);
  if (traces !== null) container.load(tracing(traces));
  return container;
}

function storageModule(storage: StorageConfiguration, { content }: ApiNeeds): ContainerModule {
  if (storage.kind === 'memory') return memoryStorage();
  return postgresStorage(storage.readDatabaseUrl, content ? (storage.readReplicaUrls ?? []) : []);
}
