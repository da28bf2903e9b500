import type { Tracing } from '../../adapters/tracing/tracing.js';
import type { ApiConfiguration, Operated } from '../configuration.js';
import type { ExtendedContainer } from '../extensions/extend.js';
import { inTime } from '../in-time.js';
import { ApiProgram } from './api-program.js';
import { OperationsProgram } from './operations-program.js';

const CLOSE_WITHIN_MS = 5_000;

export class ServedApi extends OperationsProgram<ApiProgram> {
  /** What was made is closed where the rest cannot be made. */
  static async create(
    settings: ApiConfiguration & Operated,
    traces: Tracing | null,
    extended: ExtendedContainer,
  ): Promise<ServedApi> {
    try {
      return new ServedApi(
        settings.operations,
        (metrics) => new ApiProgram(settings, metrics, traces, extended),
      );
    } catch (error) {
      // Why it could not be made is told, and not what that left behind.
      await inTime(CLOSE_WITHIN_MS, extended.container.unbindAllAsync()).catch(() => {});
      await traces?.stop();
      throw error;
    }
  }

  /** http://host:port, while it runs. */
  get address(): string {
    return this.program.address;
  }
}
