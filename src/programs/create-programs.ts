import { configuredApi, configuredWorker } from '../composition/extensions/configured.js';
import { OperationsProgram } from './admin/operations-program.js';
import { ApiProgram } from './api/api-program.js';
import type { ProgramOptions, RunnableProgram } from './program.js';
import { SyncProgram } from './sync/sync-program.js';

/** The API and its operators' port. */
export interface Api extends RunnableProgram {
  /** The public port as http://host:port, while it runs. */
  readonly address: string;
}

/**
 * Creates the API of the command `api`, without starting it. It handles no signals and never
 * exits. Rejects with a `ConfigurationError`.
 */
export async function createApi(options: ProgramOptions): Promise<Api> {
  const { settings, extended } = await configuredApi(options.settings, process.cwd(), options.extensions);
  return new OperationsProgram(settings, (metrics) => new ApiProgram(settings, metrics, extended));
}

/** Creates the sync worker that the command `sync` runs, in the same way. */
export async function createSyncWorker(options: ProgramOptions): Promise<RunnableProgram> {
  const { settings, extended } = await configuredWorker(options.settings, process.cwd(), options.extensions);
  return new OperationsProgram(
    settings,
    (metrics) => new SyncProgram(settings, metrics, process.stdout, extended),
  );
}
