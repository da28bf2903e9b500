import { DomainError } from '../errors.js';
import type { Answer } from '../model/answer.js';
import type { Awaitable } from '../model/awaitable.js';
import type { Staleness } from '../policies/staleness.js';
import type { Clock } from '../ports/clock.js';
import type { LastAnswers } from '../ports/last-answers.js';
import type {
  AnswerFromCache,
  AnswerFromCacheHandler,
  CachedAnswer,
  CacheLifetimes,
} from './answer-from-cache.js';
import { type StorageBreaker, StorageUnavailable } from './storage-breaker.js';

export interface AnswerInOutage extends AnswerFromCache {
  /** False: the current generation could not be read, and the key has the last known one. */
  readonly isConfirmed: boolean;
}

/** The last cached answer. It may be outdated. */
export interface StaleAnswer {
  readonly answer: Answer;
  readonly source: 'stale';
  /** The generation that it shows. */
  readonly generation: number;
  /** Time since it was computed. */
  readonly ageMs: number;
}

export type GivenAnswer = CachedAnswer | StaleAnswer;

/** Answers as `AnswerFromCacheHandler` does. While storage is unavailable, it answers with the last known answer. */
export class AnswerInOutageHandler {
  constructor(
    private readonly answers: AnswerFromCacheHandler,
    private readonly last: LastAnswers,
    private readonly breaker: StorageBreaker,
    private readonly policies: { readonly lifetimes: CacheLifetimes; readonly staleness: Staleness },
    private readonly clock: Clock,
  ) {}

  handle(query: AnswerInOutage): Awaitable<GivenAnswer> {
    // An answer that is cached under an unconfirmed generation is not served as a current one.
    if (!query.isConfirmed) return this.#lastAnswer(query, new StorageUnavailable());
    const compute: AnswerFromCache['compute'] = (...given) => this.breaker.run(() => query.compute(...given));
    const answered = this.answers.handle({ ...query, compute });
    return answered instanceof Promise
      ? answered.catch((error) => this.#lastIfUnavailable(query, error))
      : answered;
  }

  async #lastIfUnavailable(query: AnswerInOutage, error: unknown): Promise<StaleAnswer> {
    // This content does not exist any more. An outage must not bring it back.
    if (error instanceof DomainError) await this.last.forget(query.organizationId, query.request);
    if (error instanceof DomainError || !this.breaker.isOpen) throw error;
    return this.#lastAnswer(query, error);
  }

  async #lastAnswer(
    { organizationId, generation, request, kind }: AnswerInOutage,
    error: unknown,
  ): Promise<StaleAnswer> {
    const { lifetimes, staleness } = this.policies;
    const lifetime = lifetimes[kind];
    const last = await this.last.find(organizationId, request);
    const now = this.clock.now();
    if (last === null || !staleness.mayServe(last, lifetime, generation, now)) throw error;
    const ageMs = now - (last.expiresAt - lifetime);
    return { answer: last.answer, source: 'stale', generation: last.generation, ageMs };
  }
}
