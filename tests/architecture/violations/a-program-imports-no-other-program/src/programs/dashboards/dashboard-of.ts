import { rightsCheck } from '../doctor/rights-check.js'; // breach
import { checks } from '../operations/checks.js';

export const dashboardOf = () => [rightsCheck, ...checks];
