import { LRUCache } from 'lru-cache';
import type { Answer, AnswerKey, KeptAnswer } from '../../domain/model/answer.js';
import { requestName } from '../../domain/policies/answer-name.js';
import type { ResponseCache } from '../../domain/ports/answering/response-cache.js';
import type { Clock } from '../../domain/ports/system/clock.js';

/** Compressed forms have a limit of their own, a third of this one. */
const LOCAL_CACHE_BYTES = 15 * 1024 * 1024;
/** What an entry takes in addition to its body. For small entries this is the larger part. */
const BYTES_OF_ENTRY = 1_000;

interface Entry {
  readonly generation: number;
  readonly storedAt: number;
  readonly kept: KeptAnswer;
}

/** Bounded in bytes; evicts the least recently used answer. It keeps the latest of each request. */
export class MemoryResponseCache implements ResponseCache {
  readonly #answers: LRUCache<string, Entry>;

  constructor(
    private readonly clock: Clock,
    maxBytes = LOCAL_CACHE_BYTES,
  ) {
    this.#answers = new LRUCache({
      maxSize: maxBytes,
      // The memory that is kept alive: all of a larger buffer, and two bytes for a character.
      sizeCalculation: ({ kept: { answer } }, name) =>
        answer.body.buffer.byteLength + 2 * (name.length + answer.etag.length) + BYTES_OF_ENTRY,
    });
  }

  async get({ organizationId, generation, request }: AnswerKey): Promise<KeptAnswer | null> {
    const entry = this.#entryOf(organizationId, request);
    return entry !== null && entry.generation === generation && isFresh(entry, this.clock.now())
      ? entry.kept
      : null;
  }

  async put(key: AnswerKey, answer: Answer, lifetimeMs: number): Promise<void> {
    const { organizationId, generation, request } = key;
    const now = this.clock.now();
    const cachedAnswer = this.#entryOf(organizationId, request);
    // A slow reader may store an answer that it read before a change.
    if (cachedAnswer !== null && cachedAnswer.generation > generation && isFresh(cachedAnswer, now)) return;
    const kept: KeptAnswer = { answer, level: 'process', expiresAt: now + lifetimeMs };
    this.#answers.set(requestName(organizationId, request), { generation, storedAt: now, kept });
  }

  #entryOf(organizationId: string, request: string): Entry | null {
    return this.#answers.get(requestName(organizationId, request)) ?? null;
  }
}

/** Setting the clock back does not extend a lifetime. */
function isFresh({ storedAt, kept: { expiresAt } }: Entry, now: number): boolean {
  return now >= storedAt && now < expiresAt;
}
