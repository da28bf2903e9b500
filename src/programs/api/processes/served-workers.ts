import { configuredApi } from '../../../composition/extensions/configured.js';
import { ConfigurationError, type Environment } from '../../../composition/settings/read-settings.js';
import { TOKENS } from '../../../composition/tokens.js';
import { OperationsProgram } from '../../admin/operations-program.js';
import type { RestartableProgram } from '../../program.js';
import { ApiWorkers } from './api-workers.js';

/** Several processes of the API with one operators' port for all. */
export class ServedWorkers extends OperationsProgram<ApiWorkers> implements RestartableProgram {
  /** Reports invalid settings before any process is started. */
  static async create(count: number, environment: Environment): Promise<ServedWorkers> {
    const { settings, extended } = await configuredApi(environment, process.cwd());
    if (settings.redisUrls === null && !extended.replaced.has(TOKENS.requestLog)) {
      throw new ConfigurationError([
        `REDIS_URL is missing: each of ${count} processes would apply the limit of every key separately. Set it, or omit --processes`,
      ]);
    }
    return new ServedWorkers(
      settings.operations,
      (metrics) => new ApiWorkers(count, settings, metrics, extended.replaced),
    );
  }

  /** Restarts all processes, one after another. */
  restart(): void {
    void this.program.restart();
  }
}
