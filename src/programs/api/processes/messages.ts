import type { ToldMetrics } from '../../../adapters/operations/prometheus-metrics.js';
import type { ReadinessReport } from '../../../adapters/operations/readiness.js';

/** What the first process may ask of one that serves, and what it is answered. */
export interface Answers {
  readonly alive: true;
  readonly readiness: ReadinessReport;
  readonly metrics: ToldMetrics;
}

export type Question = keyof Answers;

/** From the first process to one that serves. */
export type Order =
  | { readonly kind: 'question'; readonly id: number; readonly question: Question }
  /** Another process takes its place: it ends without the connections that it has being cut off. */
  | { readonly kind: 'retire' };

export interface Started {
  /** Of the public port. */
  readonly address: string;
  /** The names of its health checks. */
  readonly checks: readonly string[];
}

/** The other way. */
export type Message =
  | ({ readonly kind: 'started' } & Started)
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Answers[Question] }
  /** What it has counted in all, before it ends. */
  | { readonly kind: 'ending'; readonly metrics: ToldMetrics };

/**
 * How long a process that retires waits, at least, for clients that keep a connection: to ask once more on it, and to be told that it was
 * the last time.
 */
export const LEAST_RETIREMENT_MS = 2_000;
