import { DomainError } from '../errors.js';
import type { Answer, AnswerKey, CacheLevel } from '../model/answer.js';
import { RecordedSnapshot, type Snapshot } from '../model/snapshot.js';
import { answerName } from '../policies/answer-name.js';
import { type CircuitBreaker, Unavailable } from '../policies/circuit-breaker.js';
import type { Staleness } from '../policies/staleness.js';
import type { ResponseCache } from '../ports/answering/response-cache.js';
import type { Clock } from '../ports/system/clock.js';
import type { Bulkhead } from './bulkhead.js';
import { LastAnswers } from './last-answers.js';
import { SingleFlight } from './single-flight.js';

export type AnswerKind = 'list' | 'detail';

/** How long an answer may be served again, in milliseconds. 0: never. */
export type CacheLifetimes = Readonly<Record<AnswerKind, number>>;

export interface AnswerRequest extends AnswerKey {
  readonly kind: AnswerKind;
  /** False: the generation could not be read in time, and the key has the last known one. */
  readonly isConfirmed: boolean;
  /** Reads the current generation, however long that takes. */
  readonly confirm: () => Promise<number>;
  /** Computes the answer. What it throws is passed on and never cached. */
  readonly compute: (snapshot: Snapshot) => Promise<Answer>;
}

export interface CachedAnswer {
  readonly answer: Answer;
  readonly source: CacheLevel | 'computed';
  /** The requested generation, or a later one; earlier only if the storage has nothing newer. */
  readonly generation: number;
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

interface AnswerParts {
  readonly cache: ResponseCache;
  readonly cacheLifetimesMs: CacheLifetimes;
  readonly staleness: Staleness;
  readonly bulkhead: Bulkhead;
  /** Of the storage. Null: each request tries it. */
  readonly breaker: CircuitBreaker | null;
  readonly clock: Clock;
}

/**
 * Answers from the cache, by one computation for many callers, or with the last known answer while
 * storage is unavailable. The generation was read before the data, so a slow reader can only store
 * an answer under one that is no longer requested. What a lagging replica says is not stored.
 */
export class AnswerRequestHandler {
  readonly #running = new SingleFlight<CachedAnswer>();
  readonly #last = new LastAnswers();

  constructor(private readonly parts: AnswerParts) {}

  async handle(query: AnswerRequest): Promise<GivenAnswer> {
    if (!query.isConfirmed) return this.#unconfirmedAnswer(query);
    try {
      // Concurrent requests for the same answer share one cache lookup and one computation.
      return await this.#running.run(answerName(query), () => this.#currentAnswer(query));
    } catch (error) {
      return this.#lastIfUnavailable(query, error);
    }
  }

  async #currentAnswer(query: AnswerRequest): Promise<CachedAnswer> {
    const { organizationId, generation, request } = query;
    const key = { organizationId, generation, request };
    const lifetimeMs = this.parts.cacheLifetimesMs[query.kind];
    if (lifetimeMs === 0) return this.#compute(query);
    const { cache } = this.parts;
    const keptAnswer = await cache.get(key);
    if (keptAnswer !== null) {
      this.#keepLast(key, keptAnswer.answer, keptAnswer.expiresAt);
      return { answer: keptAnswer.answer, source: keptAnswer.level, generation };
    }
    const computed = await this.#compute(query);
    if (computed.generation < generation) return computed;
    await cache.put(key, computed.answer, lifetimeMs);
    this.#keepLast(key, computed.answer, this.parts.clock.now() + lifetimeMs);
    return computed;
  }

  /** An answer that is cached under an unconfirmed generation is not served as a current one. */
  async #unconfirmedAnswer(query: AnswerRequest): Promise<GivenAnswer> {
    const { organizationId, generation, request } = query;
    const key = { organizationId, generation, request };
    // Another process may have computed it.
    const keptAnswer = await this.parts.cache.get(key);
    if (keptAnswer !== null) this.#keepLast(key, keptAnswer.answer, keptAnswer.expiresAt);
    const last = this.#lastAnswer(query);
    return last ?? this.handle({ ...query, generation: await query.confirm(), isConfirmed: true });
  }

  #keepLast({ organizationId, generation, request }: AnswerKey, answer: Answer, expiresAt: number): void {
    if (this.parts.staleness.isOff) return;
    this.#last.keep(organizationId, request, { answer, generation, expiresAt });
  }

  async #compute({ organizationId, generation, compute }: AnswerRequest): Promise<CachedAnswer> {
    const { bulkhead, breaker } = this.parts;
    const snapshot = new RecordedSnapshot(generation);
    const computeInTurn = () => bulkhead.run(organizationId, () => compute(snapshot));
    const answer = await (breaker === null ? computeInTurn() : breaker.run(computeInTurn));
    return { answer, source: 'computed', generation: snapshot.generation };
  }

  async #lastIfUnavailable(query: AnswerRequest, error: unknown): Promise<StaleAnswer> {
    // This content does not exist any more. An outage does not bring it back here.
    if (error instanceof DomainError) this.#last.forget(query.organizationId, query.request);
    const last = error instanceof Unavailable ? this.#lastAnswer(query) : null;
    if (last === null) throw error;
    return last;
  }

  /** Null: there is none that may be served. */
  #lastAnswer({ organizationId, generation, request, kind }: AnswerRequest): StaleAnswer | null {
    const { cacheLifetimesMs, staleness, clock } = this.parts;
    const lifetimeMs = cacheLifetimesMs[kind];
    const last = this.#last.find(organizationId, request);
    const now = clock.now();
    if (last === null || !staleness.mayServe(last, lifetimeMs, generation, now)) return null;
    const ageMs = now - (last.expiresAt - lifetimeMs);
    return { answer: last.answer, source: 'stale', generation: last.generation, ageMs };
  }
}
