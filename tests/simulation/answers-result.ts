import type { Kind } from './scenario.js';

export interface AnswersResult {
  /** Parts of all requests. */
  readonly near: number;
  readonly shared: number;
  readonly computed: number;
  readonly computedOf: Readonly<Record<Kind, number>>;
  /** Those of ended generations included: they stay until their lifetime ends. */
  readonly answersInRedis: number;
  readonly bytesInRedis: number;
}
