import { DomainError } from '../errors.js';
import type { Answer } from '../model/answer.js';
import type { Awaitable } from '../model/awaitable.js';
import { type CircuitBreaker, Unavailable } from '../policies/circuit-breaker.js';
import type { Staleness } from '../policies/staleness.js';
import type { Clock } from '../ports/clock.js';
import type { LastAnswers } from '../ports/last-answers.js';
import type {
  AnswerFromCache,
  AnswerFromCacheHandler,
  CachedAnswer,
  CacheLifetimes,
} from './answer-from-cache.js';

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

/** Answers from the cache, and with the last known answer while storage is unavailable. */
export class AnswerInOutageHandler {
  constructor(
    private readonly answers: AnswerFromCacheHandler,
    private readonly last: LastAnswers,
    private readonly breaker: Pick<CircuitBreaker, 'isOpen' | 'run'>,
    private readonly policies: { readonly cacheLifetimesMs: CacheLifetimes; readonly staleness: Staleness },
    private readonly clock: Clock,
  ) {}

  handle(query: AnswerInOutage): Awaitable<GivenAnswer> {
    // An answer that is cached under an unconfirmed generation is not served as a current one.
    if (!query.isConfirmed) return this.#lastAnswer(query, new Unavailable('the current generation'));
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
    const { cacheLifetimesMs, staleness } = this.policies;
    const lifetimeMs = cacheLifetimesMs[kind];
    const last = await this.last.find(organizationId, request);
    const now = this.clock.now();
    if (last === null || !staleness.mayServe(last, lifetimeMs, generation, now)) throw error;
    const ageMs = now - (last.expiresAt - lifetimeMs);
    return { answer: last.answer, source: 'stale', generation: last.generation, ageMs };
  }
}
