import type { ApiKey } from '../../model/api-key.js';
import type { Window, WindowState } from '../../model/window.js';

/** The requests that all processes have accepted. */
export interface RequestLog {
  /** How long after the call it may record a request. Default: 0. */
  readonly recordsWithinMs?: number;
  /**
   * Trims, counts and appends in one atomic step, as `recordRequest` defines. A request that finds
   * the window full is not recorded. Null: the log cannot be reached.
   */
  record(key: Pick<ApiKey, 'id' | 'organizationId'>, window: Window): Promise<WindowState | null>;
}
