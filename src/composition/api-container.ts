import { Container, type ServiceIdentifier } from 'inversify';
import type { PrometheusMetrics } from '../adapters/operations/prometheus-metrics.js';
import type { Tracing } from '../adapters/tracing/tracing.js';
import type { LastAnswers } from '../domain/ports/last-answers.js';
import { bindExtended, type Extended, extendedApi } from './extensions/extend.js';
import type { ApiAdditions } from './extensions/extension.js';
import { memoryState } from './modules/memory-state.js';
import { postgresStorage } from './modules/postgres-storage.js';
import { redisState } from './modules/redis-state.js';
import { serving } from './modules/serving.js';
import { system } from './modules/system.js';
import { tracing } from './modules/tracing.js';
import { type Created, notingCreated } from './noting-created.js';
import type { ApiConfiguration } from './settings/configuration.js';
import { TOKENS } from './tokens.js';

/** Of a response cache that keeps none. */
const NO_LAST_ANSWERS: LastAnswers = { find: () => null, forget: async () => {} };

/** Server connections, which exist only if something uses them. */
const SERVERS: readonly ServiceIdentifier[] = [
  TOKENS.readDatabase,
  TOKENS.replicas,
  TOKENS.redisBreaker,
  TOKENS.redisAnswersBreaker,
];

/** The parts of the API: each port is an extension's, or else the adapter that the configuration names. */
export function apiContainer(
  configuration: ApiConfiguration,
  metrics: PrometheusMetrics,
  traces: Tracing | null = null,
  extended: Extended<ApiAdditions> = extendedApi([], {}),
): Created {
  const { redisUrls } = configuration;
  const { extensions, replaced } = extended;
  const container = new Container({ defaultScope: 'Singleton' });
  container.load(
    system(configuration, metrics),
    postgresStorage(configuration),
    redisUrls === null ? memoryState() : redisState(redisUrls, configuration),
    serving(
      configuration,
      extensions.flatMap(({ additions }) => additions.middleware ?? []),
      replaced,
      traces,
    ),
  );
  if (replaced.has(TOKENS.responseCache))
    container.rebind(TOKENS.lastAnswers).toConstantValue(NO_LAST_ANSWERS);
  bindExtended(container, extended);
  if (traces !== null) container.load(tracing(traces));
  return notingCreated(container, SERVERS);
}
