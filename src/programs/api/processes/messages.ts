import type { ReportedMetrics } from '../../../adapters/operations/prometheus-metrics.js';
import type { ReadinessReport } from '../../../adapters/operations/readiness.js';

/** The questions of the first process to a serving process, and the replies. */
export interface Replies {
  readonly alive: true;
  readonly readiness: ReadinessReport;
  readonly metrics: ReportedMetrics;
}

export type Question = keyof Replies;

/** From the first process to a serving process. */
export type Command =
  | { readonly kind: 'question'; readonly id: number; readonly question: Question }
  /** Another process replaces it. It ends without cutting off its connections. */
  | { readonly kind: 'retire' };

export interface Started {
  /** Of the public port. */
  readonly address: string;
  /** The names of its health checks. */
  readonly checks: readonly string[];
}

/** From a serving process to the first process. */
export type Message =
  | ({ readonly kind: 'started' } & Started)
  | { readonly kind: 'reply'; readonly id: number; readonly reply: Replies[Question] }
  /** Its total counts, before it ends. */
  | { readonly kind: 'ending'; readonly metrics: ReportedMetrics };

/**
 * The minimum time that a retiring process waits for clients that keep a connection open. It lets a client send one more request and
 * receive the notice that the connection closes.
 */
export const MIN_RETIREMENT_MS = 2_000;
