import { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import type { Check } from '../../adapters/operations/readiness.js';
import { apiContainer } from '../../composition/api-container.js';
import {
  type ApiConfiguration,
  apiConfiguration,
  type SyncConfiguration,
  syncConfiguration,
} from '../../composition/configuration.js';
import { type ExtendedContainer, ExtendedWorker, loadDefaults } from '../../composition/extensions/extend.js';
import { needsOfWorker, type Replacements } from '../../composition/extensions/ports-of-programs.js';
import { workerSystem } from '../../composition/modules/worker-system.js';
import type { Environment } from '../../composition/read-settings.js';
import { SESSION } from '../../composition/session-tokens.js';
import { TOKENS } from '../../composition/tokens.js';
import type { Log } from '../../domain/ports/log.js';
import type { SyncNotes } from '../../domain/ports/sync-notes.js';
import { dashboardFor } from '../dashboards/dashboard-of.js';
import { readTablesCheck } from '../operations/checks.js';
import { RunningExtensions } from '../operations/running-extensions.js';
import { openSyncSession } from '../sync/sync-session.js';

/** What extensions bind to the program that the doctor checks. It is created, but no `lifecycle` is started. */
export interface ExtendedParts {
  /** The ports that each extension replaces, by the names of the extensions. */
  readonly replaces: Readonly<Record<string, readonly string[]>>;
  readonly replaced: Replacements;
  readonly checks: readonly Check[];
  /** Null: they are in the read tables. */
  readonly notes: SyncNotes | null;
  close(): Promise<void>;
}

/** Null: there are no extensions. Throws a ConfigurationError if one of their parts cannot be created. */
export function extendedParts(
  extended: ExtendedContainer | ExtendedWorker,
  environment: Environment,
): ExtendedParts | null {
  const { replaced } = extended;
  if (extended instanceof ExtendedWorker) {
    return extended.program.extensions.length === 0
      ? null
      : partsOfWorker(syncConfiguration(environment, replaced), extended);
  }
  return extended.extensions.length === 0
    ? null
    : partsOfApi(apiConfiguration(environment, replaced), extended);
}

function partsOfApi(configuration: ApiConfiguration, extended: ExtendedContainer): ExtendedParts {
  const container = apiContainer(configuration, new PrometheusMetrics(), null, extended);
  const running = new RunningExtensions(extended);
  const storedBy = extended.replaced.get(TOKENS.generationTable) ?? null;
  const ownChecks =
    storedBy === null ? [] : [readTablesCheck(container.get(TOKENS.generationTable), storedBy)];
  return {
    ...described(running, extended),
    replaced: extended.replaced,
    checks: [...ownChecks, ...running.checks],
    notes: null,
    close: () => running.stop(container.get(TOKENS.log)),
  };
}

/** Of the worker and of a session. */
function partsOfWorker(configuration: SyncConfiguration, extended: ExtendedWorker): ExtendedParts {
  const metrics = new PrometheusMetrics();
  const { program, replaced } = extended;
  loadDefaults(program, [workerSystem(configuration, metrics, process.stderr)]);
  const running = new RunningExtensions(program, [replaced]);
  const log: Log = program.container.get(TOKENS.log);
  const { dashboard, readDatabase } = needsOfWorker(replaced, configuration.redisUrls !== null);
  const databases = {
    engine: dashboard.length === 0 ? null : dashboardFor(configuration),
    readDatabaseUrl: readDatabase.length === 0 ? null : configuration.readDatabaseUrl,
  };
  const { container, ...others } = extended.session();
  const session = openSyncSession(
    databases,
    null,
    program.container.get(TOKENS.metrics),
    log,
    undefined,
    undefined,
    undefined,
    {
      container,
      ...others,
    },
  );
  const storedBy = replaced.get(SESSION.generationTable) ?? null;
  const ownChecks =
    storedBy === null ? [] : [readTablesCheck(container.get(SESSION.generationTable), storedBy)];
  return {
    ...described(running, program),
    replaced,
    checks: [...ownChecks, ...running.checks],
    notes: replaced.has(SESSION.syncNotes) ? session.notes : null,
    close: async () => {
      await session.close();
      await running.stop(log);
    },
  };
}

function described(running: RunningExtensions, { extensions }: ExtendedContainer) {
  const ports = Object.entries(running.replaced);
  const replaces = extensions.map(({ name }) => [
    name,
    ports.flatMap(([port, extension]) => (extension === name ? [port] : [])),
  ]);
  return { replaces: Object.fromEntries(replaces) };
}
