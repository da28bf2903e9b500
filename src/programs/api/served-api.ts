import type { Tracing } from '../../adapters/tracing/tracing.js';
import type { Extended } from '../../composition/extensions/extend.js';
import type { ApiAdditions } from '../../composition/extensions/extension.js';
import type { ApiConfiguration, Operated } from '../../composition/settings/configuration.js';
import { OperationsProgram } from '../admin/operations-program.js';
import { ApiProgram } from './api-program.js';

export class ServedApi extends OperationsProgram<ApiProgram> {
  constructor(
    settings: ApiConfiguration & Operated,
    traces: Tracing | null,
    extended: Extended<ApiAdditions>,
  ) {
    super(settings.operations, (metrics) => new ApiProgram(settings, metrics, traces, extended));
  }

  /** http://host:port, while it runs. */
  get address(): string {
    return this.program.address;
  }
}
