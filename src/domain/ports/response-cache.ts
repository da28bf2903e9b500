import type { Answer, AnswerKey, KeptAnswer } from '../model/answer.js';
import type { Awaitable } from '../model/awaitable.js';

/** Finished answers. May forget any of them at any time, but never gives one under another key, nor after its lifetime. */
export interface ResponseCache {
  /**
   * Null asks the caller to compute the answer, and then to `put` it or, if that fails, to `release` the key. While one
   * caller computes, others may be made to wait for it: for a moment, and never for good.
   */
  get(key: AnswerKey): Awaitable<KeptAnswer | null>;
  put(key: AnswerKey, answer: Answer, lifetimeMs: number): Promise<void>;
  release(key: AnswerKey): Promise<void>;
}
