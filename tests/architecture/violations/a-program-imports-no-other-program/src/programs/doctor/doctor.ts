import { dashboardOf } from '../dashboards/dashboard-of.js';
import { loop } from '../sync/sync-loop.js';

export const doctor = () => [loop, dashboardOf()];
