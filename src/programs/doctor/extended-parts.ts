import { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import type { Check } from '../../adapters/operations/readiness.js';
import { apiContainer } from '../../composition/api-container.js';
import { dashboardFor } from '../../composition/dashboard-of.js';
import { createPorts, type Extended, type Replaced } from '../../composition/extensions/extend.js';
import { NEEDED_BY_API } from '../../composition/extensions/ports.js';
import { SESSION } from '../../composition/session-tokens.js';
import {
  apiConfiguration,
  examinesWorker,
  syncConfiguration,
} from '../../composition/settings/configuration.js';
import type { Environment } from '../../composition/settings/read-settings.js';
import { TOKENS } from '../../composition/tokens.js';
import { workerContainer } from '../../composition/worker-container.js';
import type { SyncNotes } from '../../domain/ports/sync-notes.js';
import { readTablesCheck } from '../admin/checks.js';
import { RunningExtensions } from '../admin/running-extensions.js';
import { openSyncSession } from '../sync/sync-session.js';

/** The parts of the program that the doctor checks. They are created and not started. */
export interface ExtendedParts {
  readonly extensions: readonly string[];
  readonly replaced: Replaced;
  readonly hasReadTables: boolean;
  readonly hasDashboard: boolean;
  readonly hasReplicas: boolean;
  readonly checks: readonly Check[];
  /** Null: they are in the read tables. */
  readonly notes: SyncNotes | null;
}

/** Throws a ConfigurationError if a part cannot be created. */
export function extendedParts(extended: Extended, environment: Environment): ExtendedParts {
  const parts = examinesWorker(environment) ? partsOfWorker : partsOfApi;
  const { replaced, extensions } = extended;
  return { replaced, extensions: extensions.map(({ name }) => name), ...parts(extended, environment) };
}

type Parts = Omit<ExtendedParts, 'extensions' | 'replaced'>;

function partsOfApi(extended: Extended, environment: Environment): Parts {
  const settings = { ...apiConfiguration(environment, true), redisUrls: null, redisCacheUrls: null };
  const { container, find } = apiContainer(settings, new PrometheusMetrics(), null, extended);
  createPorts(container, NEEDED_BY_API, extended.replaced);
  const storedBy = extended.replaced.get(TOKENS.generationTable);
  const ofStore =
    storedBy === undefined ? [] : [readTablesCheck(container.get(TOKENS.generationTable), storedBy)];
  return {
    hasReadTables: find(TOKENS.readDatabase) !== null,
    hasDashboard: false,
    hasReplicas: find(TOKENS.replicas) !== null,
    checks: [...ofStore, ...new RunningExtensions(extended, container).checks],
    notes: null,
  };
}

/** Of the worker and of a session. */
function partsOfWorker(extended: Extended, environment: Environment): Parts {
  const settings = syncConfiguration(environment, true);
  const metrics = new PrometheusMetrics();
  const worker = workerContainer(settings, metrics, process.stderr, extended);
  const log = worker.get(TOKENS.log);
  const databases = { engine: dashboardFor(settings), readDatabaseUrl: settings.readDatabaseUrl };
  const session = openSyncSession(databases, null, metrics, log, extended, worker);
  const storedBy = extended.replaced.get(SESSION.generationTable);
  const ofStore = storedBy === undefined ? [] : [readTablesCheck(session.generations, storedBy)];
  return {
    hasReadTables: session.hasReadTables,
    hasDashboard: session.hasDashboard,
    hasReplicas: false,
    checks: [...ofStore, ...new RunningExtensions(extended, worker).checks],
    notes: session.replaces(SESSION.syncNotes) ? session.notes : null,
  };
}
