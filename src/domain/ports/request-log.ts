import type { ApiKey } from '../model/api-key.js';
import type { Window, WindowState } from '../model/window.js';

/**
 * The accepted requests of each key. `record` trims, counts and appends in one atomic step, so concurrent requests cannot exceed the limit.
 * A request that finds the window full is not recorded. `recordRequest` of the sliding-window policy defines the numbers.
 */
export interface RequestLog {
  record(key: Pick<ApiKey, 'id' | 'organizationId'>, window: Window): Promise<WindowState>;
}
