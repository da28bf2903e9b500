import type { Answer, AnswerKey, KeptAnswer } from '../model/answer.js';

/** May forget any answer; never returns one under another key or after its lifetime. */
export interface ResponseCache {
  /**
   * Null asks the caller to compute the answer and to `put` it or, if that fails, `release` the
   * key. Others may wait for it meanwhile, for a limited time.
   */
  get(key: AnswerKey): Promise<KeptAnswer | null>;
  put(key: AnswerKey, answer: Answer, lifetimeMs: number): Promise<void>;
  release(key: AnswerKey): Promise<void>;
}
