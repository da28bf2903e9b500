import { rightsCheck } from '../doctor/rights-check.js'; // breach
import { checks } from '../admin/checks.js';

export const dashboardOf = () => [rightsCheck, ...checks];
