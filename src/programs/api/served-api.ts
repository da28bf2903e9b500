import type { Tracing } from '../../adapters/tracing/tracing.js';
import type { ApiConfiguration, Operated } from '../../composition/configuration.js';
import type { ExtendedContainer } from '../../composition/extensions/extend.js';
import { OperationsProgram } from '../operations/operations-program.js';
import { ApiProgram } from './api-program.js';
import { closeOnFailure } from './close-on-failure.js';

export class ServedApi extends OperationsProgram<ApiProgram> {
  static create(
    settings: ApiConfiguration & Operated,
    traces: Tracing | null,
    extended: ExtendedContainer,
  ): Promise<ServedApi> {
    const make = () =>
      new ServedApi(settings.operations, (metrics) => new ApiProgram(settings, metrics, traces, extended));
    return closeOnFailure(traces, extended, make);
  }

  /** http://host:port, while it runs. */
  get address(): string {
    return this.program.address;
  }
}
