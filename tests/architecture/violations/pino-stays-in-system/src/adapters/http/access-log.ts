import { pino } from 'pino'; // breach

export const log = pino();
