import { LRUCache } from 'lru-cache';
import type { Answer, AnswerKey, KeptAnswer } from '../../domain/model/answer.js';
import { answerName } from '../../domain/policies/answer-name.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { ResponseCache } from '../../domain/ports/response-cache.js';

/** What an entry takes beside its body: small ones are mostly that. */
const BYTES_OF_ENTRY = 1_000;

interface Entry {
  readonly kept: KeptAnswer;
  readonly expiresAt: number;
}

/** Bounded in bytes: what was asked for least lately goes first. */
export class MemoryResponseCache implements ResponseCache {
  readonly #answers: LRUCache<string, Entry>;

  constructor(
    private readonly clock: Clock,
    maxBytes: number,
  ) {
    this.#answers = new LRUCache({
      maxSize: maxBytes,
      // What is held counts, which is more where the body is a part of something larger; text may take two bytes a character.
      sizeCalculation: ({ kept: { answer } }, name) =>
        answer.body.buffer.byteLength + 2 * (name.length + answer.etag.length) + BYTES_OF_ENTRY,
    });
  }

  get(key: AnswerKey): KeptAnswer | null {
    const entry = this.#answers.get(answerName(key));
    return entry === undefined || this.clock.now() >= entry.expiresAt ? null : entry.kept;
  }

  async put(key: AnswerKey, answer: Answer, lifetimeMs: number): Promise<void> {
    const kept: KeptAnswer = { answer, level: 'process' };
    this.#answers.set(answerName(key), { kept, expiresAt: this.clock.now() + lifetimeMs });
  }

  /** Nobody is made to wait. */
  async release(): Promise<void> {}
}
