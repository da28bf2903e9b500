import type { ApiKey } from '../../model/api-key.js';
import type { Window, WindowState } from '../../model/window.js';

/**
 * `record` trims, counts and appends in one atomic step, as `recordRequest` defines. A request that
 * finds the window full is not recorded.
 */
export interface RequestLog {
  record(key: Pick<ApiKey, 'id' | 'organizationId'>, window: Window): Promise<WindowState>;
}
