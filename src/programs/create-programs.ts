import { configuredWorker } from '../composition/extensions/configured.js';
import { apiOf } from './api/api-of.js';
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
