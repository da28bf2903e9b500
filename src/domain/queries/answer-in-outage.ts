import { DomainError } from '../errors.js';
import type { Answer } from '../model/answer.js';
import type { Awaitable } from '../model/awaitable.js';
import type { CacheLifetimes } from '../policies/cache-lifetimes.js';
import type { Staleness } from '../policies/staleness.js';
import type { Clock } from '../ports/clock.js';
import type { LastAnswers } from '../ports/last-answers.js';
import type { AnswerFromCache, AnswerFromCacheHandler, CachedAnswer } from './answer-from-cache.js';
import { StorageAway, type StorageBreaker } from './storage-breaker.js';

export interface AnswerInOutage extends AnswerFromCache {
  /** False: the present generation could not be read, and the one in the key is the last that is known. */
  readonly isConfirmed: boolean;
}

/** The last answer that was kept. It may be outdated. */
export interface StaleAnswer {
  readonly answer: Answer;
  readonly source: 'stale';
  /** That it shows. */
  readonly generation: number;
  /** Since it was computed. */
  readonly ageMs: number;
}

export type GivenAnswer = CachedAnswer | StaleAnswer;

/** Answers as `AnswerFromCacheHandler` does, and with the last answer that is known where storage is away. */
export class AnswerInOutageHandler {
  constructor(
    private readonly answers: AnswerFromCacheHandler,
    private readonly last: LastAnswers,
    private readonly breaker: StorageBreaker,
    private readonly policies: { readonly lifetimes: CacheLifetimes; readonly staleness: Staleness },
    private readonly clock: Clock,
  ) {}

  handle(query: AnswerInOutage): Awaitable<GivenAnswer> {
    // What is cached under a generation that is not the present one for sure is not served as if it were.
    if (!query.isConfirmed) return this.#lastOf(query, new StorageAway());
    const compute: AnswerFromCache['compute'] = (...given) => this.breaker.run(() => query.compute(...given));
    const answered = this.answers.handle({ ...query, compute });
    return answered instanceof Promise ? answered.catch((error) => this.#instead(query, error)) : answered;
  }

  async #instead(query: AnswerInOutage, error: unknown): Promise<StaleAnswer> {
    // There is no such content any more: an outage must not bring it back.
    if (error instanceof DomainError) await this.last.forget(query.organizationId, query.request);
    if (error instanceof DomainError || !this.breaker.isOpen) throw error;
    return this.#lastOf(query, error);
  }

  async #lastOf(
    { organizationId, generation, request, kind }: AnswerInOutage,
    error: unknown,
  ): Promise<StaleAnswer> {
    const { lifetimes, staleness } = this.policies;
    const last = await this.last.find(organizationId, request);
    const now = this.clock.now();
    if (last === null || !staleness.mayShow(last, generation, now)) throw error;
    const computedAt = last.expiresAt - lifetimes.of(kind);
    return { answer: last.answer, source: 'stale', generation: last.generation, ageMs: now - computedAt };
  }
}
