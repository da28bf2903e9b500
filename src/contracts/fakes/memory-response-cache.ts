import type { Answer, AnswerKey, KeptAnswer } from '../../domain/model/answer.js';
import { answerName } from '../../domain/policies/answer-name.js';
import type { ResponseCache } from '../../domain/ports/answering/response-cache.js';
import type { Clock } from '../../domain/ports/system/clock.js';

/** Keeps all answers. */
export class MemoryResponseCache implements ResponseCache {
  readonly #answers = new Map<string, KeptAnswer>();

  constructor(private readonly clock: Clock) {}

  async get(key: AnswerKey): Promise<KeptAnswer | null> {
    const keptAnswer = this.#answers.get(answerName(key)) ?? null;
    return keptAnswer !== null && this.clock.now() < keptAnswer.expiresAt ? keptAnswer : null;
  }

  async put(key: AnswerKey, answer: Answer, lifetimeMs: number): Promise<void> {
    this.#answers.set(answerName(key), { answer, expiresAt: this.clock.now() + lifetimeMs });
  }
}
