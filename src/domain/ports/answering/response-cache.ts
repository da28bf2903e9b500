import type { Answer, AnswerKey, KeptAnswer } from '../../model/answer.js';

/**
 * The answers that all processes share. May forget any answer; never returns one under another key
 * or after its lifetime.
 */
export interface ResponseCache {
  get(key: AnswerKey): Promise<KeptAnswer | null>;
  put(key: AnswerKey, answer: Answer, lifetimeMs: number): Promise<void>;
}
