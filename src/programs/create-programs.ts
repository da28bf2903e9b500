import type { Tracing } from '../adapters/tracing/tracing.js';
import { configuredApi, configuredWorker } from '../composition/extensions/configured.js';
import type { Environment } from '../composition/read-settings.js';
import type { ServedApi } from './api/served-api.js';
import type { ProgramOptions, RunnableProgram } from './program.js';

/** The API and its operators' port. */
export interface Api extends RunnableProgram {
  /** Of the public port, as http://host:port, while it runs. */
  readonly address: string;
}

/**
 * The API as the command `api` runs it, to be started. It takes no signals, never ends the process, and traces nothing: the SDK of
 * OpenTelemetry is set up for a whole process. Rejects with a `ConfigurationError` that tells all that is wrong.
 */
export function createApi(options: ProgramOptions): Promise<Api> {
  return apiOf(options, async () => null);
}

/** The API with its operators' port, and with the traces that its settings ask for. */
export async function apiOf(
  options: ProgramOptions,
  startTracing: (environment: Environment) => Promise<Tracing | null>,
): Promise<ServedApi> {
  const { settings, extended } = await configuredApi(options.settings, process.cwd(), options.extensions);
  const { ServedApi } = await import('./api/served-api.js');
  const traces = await startTracing(options.settings);
  return ServedApi.create(settings, traces, extended);
}

/** The sync worker as the command `sync` runs it, to be started. The same goes for it. */
export async function createSyncWorker(options: ProgramOptions): Promise<RunnableProgram> {
  const { settings, extended } = await configuredWorker(options.settings, process.cwd(), options.extensions);
  const { OperationsProgram } = await import('./operations/operations-program.js');
  const { SyncProgram } = await import('./sync/sync-program.js');
  return new OperationsProgram(
    settings.operations,
    (metrics) => new SyncProgram(settings, metrics, process.stdout, extended),
  );
}
