import type { Tracing } from '../../adapters/tracing/tracing.js';
import { configuredApi } from '../../composition/extensions/configured.js';
import type { Environment } from '../../composition/read-settings.js';
import type { ProgramOptions } from '../program.js';
import type { ServedApi } from './served-api.js';

/** The API with its operators' port, and with the traces that its settings ask for. */
export async function apiOf(
  options: ProgramOptions,
  startTracing: (environment: Environment) => Promise<Tracing | null>,
): Promise<ServedApi> {
  const { settings, extended } = await configuredApi(options.settings, process.cwd(), options.extensions);
  const { ServedApi } = await import('./served-api.js');
  const traces = await startTracing(options.settings);
  return ServedApi.create(settings, traces, extended);
}
