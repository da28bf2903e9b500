import type { Step } from '../../application/sync/step.js'; // breach

export const steps: Step[] = [];
