import { pino } from 'pino'; // breach
import pretty from 'pino-pretty'; // breach

export const log = pino(pretty());
