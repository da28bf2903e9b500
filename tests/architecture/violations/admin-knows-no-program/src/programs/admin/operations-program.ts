import type { dashboardOf } from '../dashboards/dashboard-of.js'; // breach
import type { Program } from '../program.js';

export type OperationsProgram = Program | typeof dashboardOf;
