import type { Tracing } from '../adapters/tracing/tracing.js';
import { configuredApi, configuredWorker } from '../composition/extensions/configured.js';
import type { Environment } from '../composition/settings/read-settings.js';
import type { ServedApi } from './api/served-api.js';
import type { ProgramOptions, RunnableProgram } from './program.js';

/** The API and its operators' port. */
export interface Api extends RunnableProgram {
  /** The public port as http://host:port, while it runs. */
  readonly address: string;
}

/**
 * Creates the API that the command `api` runs, without starting it. It handles no signals, never exits the process, and creates no traces,
 * because the OpenTelemetry SDK applies to a whole process. Rejects with a `ConfigurationError` with all errors.
 */
export function createApi(options: ProgramOptions): Promise<Api> {
  return apiOf(options, async () => null);
}

/** The API with its operators' port, and with the traces that its settings request. */
export async function apiOf(
  options: ProgramOptions,
  startTracing: (environment: Environment) => Promise<Tracing | null>,
): Promise<ServedApi> {
  const { settings, extended } = await configuredApi(options.settings, process.cwd(), options.extensions);
  const { ServedApi } = await import('./api/served-api.js');
  return new ServedApi(settings, await startTracing(options.settings), extended);
}

/** Creates the sync worker that the command `sync` runs, in the same way. */
export async function createSyncWorker(options: ProgramOptions): Promise<RunnableProgram> {
  const { settings, extended } = await configuredWorker(options.settings, process.cwd(), options.extensions);
  const { OperationsProgram } = await import('./admin/operations-program.js');
  const { SyncProgram } = await import('./sync/sync-program.js');
  return new OperationsProgram(
    settings.operations,
    (metrics) => new SyncProgram(settings, metrics, process.stdout, extended),
  );
}
