import type { Answer, AnswerKey, KeptAnswer } from '../model/answer.js';
import type { Awaitable } from '../model/awaitable.js';

/** Finished answers. May forget any of them at any time. Never returns an answer under another key or after its lifetime. */
export interface ResponseCache {
  /**
   * Null asks the caller to compute the answer, and then to `put` it or, if that fails, to `release` the key. While one caller computes,
   * others may wait for it, but only for a limited time.
   */
  get(key: AnswerKey): Awaitable<KeptAnswer | null>;
  put(key: AnswerKey, answer: Answer, lifetimeMs: number): Promise<void>;
  release(key: AnswerKey): Promise<void>;
}
