import { trace } from '@opentelemetry/api'; // breach

export const traced = trace.getActiveSpan() !== undefined;
