import { DomainError } from '../../domain/errors.js';
import type { Answer, AnswerKey } from '../../domain/model/answer.js';
import { answerName } from '../../domain/policies/answer-name.js';
import { type CircuitBreaker, Unavailable } from '../../domain/policies/circuit-breaker.js';
import type { Clock } from '../../domain/ports/system/clock.js';
import type { Bulkhead } from './bulkhead.js';
import { isFresh, type ProcessAnswers } from './process-answers.js';
import type { SharedAnswers } from './shared-answers.js';
import { SingleFlight } from './single-flight.js';
import type { Staleness } from './staleness.js';

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
  readonly compute: () => Promise<Answer>;
}

export interface CachedAnswer {
  readonly answer: Answer;
  readonly source: 'process' | 'shared' | 'computed';
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
  readonly processAnswers: ProcessAnswers;
  /** Those of all processes. */
  readonly sharedAnswers: Pick<SharedAnswers, 'get' | 'put'>;
  readonly cacheLifetimesMs: CacheLifetimes;
  readonly staleness: Staleness;
  readonly bulkhead: Bulkhead;
  /** Of the storage. */
  readonly breaker: Pick<CircuitBreaker, 'run'>;
  readonly clock: Clock;
}

/**
 * Answers from the caches, by one computation for many callers, or with the last known answer while
 * storage is unavailable. The generation was read before the data, so a slow reader can only store
 * an answer under one that is no longer requested.
 */
export class AnswerRequestHandler {
  readonly #running = new SingleFlight<CachedAnswer>();

  constructor(private readonly parts: AnswerParts) {}

  async handle(query: AnswerRequest): Promise<GivenAnswer> {
    if (!query.isConfirmed) return this.#unconfirmedAnswer(query);
    const { organizationId, generation, request } = query;
    const latest = this.parts.processAnswers.find(organizationId, request);
    if (latest?.generation === generation && isFresh(latest, this.parts.clock.now()))
      return { answer: latest.answer, source: 'process', generation };
    try {
      // Concurrent requests for the same answer share one look-up and one computation.
      return await this.#running.run(answerName(query), () => this.#sharedOrComputed(query));
    } catch (error) {
      // This content does not exist any more. An outage does not bring it back here.
      if (error instanceof DomainError) this.parts.processAnswers.forget(query.organizationId, query.request);
      const last = error instanceof Unavailable ? this.#lastAnswer(query) : null;
      if (last === null) throw error;
      return last;
    }
  }

  async #sharedOrComputed(query: AnswerRequest): Promise<CachedAnswer> {
    const { processAnswers, sharedAnswers, cacheLifetimesMs, clock } = this.parts;
    const { generation } = query;
    const lifetimeMs = cacheLifetimesMs[query.kind];
    if (lifetimeMs === 0) return this.#compute(query);
    const sharedAnswer = await this.#shared(query);
    if (sharedAnswer !== null) return { answer: sharedAnswer, source: 'shared', generation };
    const computed = await this.#compute(query);
    const now = clock.now();
    processAnswers.keep(query, computed.answer, now, now + lifetimeMs);
    sharedAnswers.put(keyOf(query), computed.answer, lifetimeMs);
    return computed;
  }

  /** The answer of another process, if there is one, which this process keeps as well. */
  async #shared(query: AnswerRequest): Promise<Answer | null> {
    const sharedAnswer = await this.parts.sharedAnswers.get(keyOf(query));
    if (sharedAnswer === null) return null;
    const { answer, expiresAt } = sharedAnswer;
    this.parts.processAnswers.keep(query, answer, this.parts.clock.now(), expiresAt);
    return answer;
  }

  async #compute({ organizationId, generation, compute }: AnswerRequest): Promise<CachedAnswer> {
    const { bulkhead, breaker } = this.parts;
    const answer = await breaker.run(() => bulkhead.run(organizationId, compute));
    return { answer, source: 'computed', generation };
  }

  /** An answer that is cached under an unconfirmed generation is not served as a current one. */
  async #unconfirmedAnswer(query: AnswerRequest): Promise<GivenAnswer> {
    // Another process may have computed it.
    await this.#shared(query);
    const last = this.#lastAnswer(query);
    return last ?? this.handle({ ...query, generation: await query.confirm(), isConfirmed: true });
  }

  /** Null: there is none that may be served. */
  #lastAnswer({ organizationId, generation, request, kind }: AnswerRequest): StaleAnswer | null {
    const { cacheLifetimesMs, staleness, clock } = this.parts;
    const lifetimeMs = cacheLifetimesMs[kind];
    const latest = this.parts.processAnswers.find(organizationId, request);
    const now = clock.now();
    if (latest === null || !staleness.mayServe(latest, lifetimeMs, generation, now)) return null;
    const ageMs = now - (latest.expiresAt - lifetimeMs);
    return { answer: latest.answer, source: 'stale', generation: latest.generation, ageMs };
  }
}

function keyOf({ organizationId, generation, request }: AnswerRequest): AnswerKey {
  return { organizationId, generation, request };
}
