import type { Container, ContainerModule } from 'inversify';
import type { PrometheusMetrics } from '../adapters/operations/prometheus-metrics.js';
import type { Tracing } from '../adapters/tracing/tracing.js';
import type { ApiConfiguration, StorageConfiguration } from './configuration.js';
import { type ExtendedContainer, extendedApi, loadDefaults } from './extensions/extend.js';
import { type ApiNeeds, needsOfApi } from './extensions/ports-of-programs.js';
import { extensionMiddleware } from './modules/extension-middleware.js';
import { memoryState } from './modules/memory-state.js';
import { memoryStorage } from './modules/memory-storage.js';
import { postgresStorage } from './modules/postgres-storage.js';
import { readApi } from './modules/read-api.js';
import { readReplicas } from './modules/read-replicas.js';
import { redisState } from './modules/redis-state.js';
import { staleAnswers } from './modules/stale-answers.js';
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
    ...(storage === null ? [] : storageModules(storage, needs)),
    redisUrls === null ? memoryState() : redisState(redisUrls, configuration, needs),
    extensionMiddleware(extensions),
    staleAnswers(configuration),
    readApi(configuration),
  ]);
  if (traces !== null) container.load(tracing(traces));
  return container;
}

function storageModules(storage: StorageConfiguration, needs: ApiNeeds): readonly ContainerModule[] {
  if (storage.kind === 'memory') return [memoryStorage()];
  return [
    postgresStorage(storage.url),
    readReplicas(needs.content ? (storage.replicaUrls ?? []) : [], needs),
  ];
}
