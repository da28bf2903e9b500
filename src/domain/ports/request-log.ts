import type { ApiKey } from '../model/api-key.js';
import type { Window, WindowState } from '../model/window.js';

/**
 * Accepted requests of each key. `record` trims, counts and appends in one atomic step: no caller can pass between them.
 * A request that finds the window full is not recorded. `recordRequest` of the sliding-window policy says what the numbers are.
 */
export interface RequestLog {
  record(key: Pick<ApiKey, 'id' | 'organizationId'>, window: Window): Promise<WindowState>;
}
