import type { Answer, AnswerKey, KeptAnswer } from '../../model/answer.js';

/**
 * The answers that all processes share. May forget any answer; never returns one under another key
 * or after its lifetime. One that throws counts as one that has nothing.
 */
export interface ResponseCache {
  get(key: AnswerKey): Promise<KeptAnswer | null>;
  /** Takes a body of a million bytes. A larger one may be ignored. No answer waits for it. */
  put(key: AnswerKey, answer: Answer, lifetimeMs: number): Promise<void>;
}
