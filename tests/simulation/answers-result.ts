import type { Kind } from './scenario.js';

export interface AnswersResult {
  /** Shares of all requests. */
  readonly near: number;
  readonly shared: number;
  readonly computed: number;
  readonly computedOf: Readonly<Record<Kind, number>>;
  /** Includes those of earlier generations, which stay until their lifetime ends. */
  readonly answersInRedis: number;
  readonly bytesInRedis: number;
}
