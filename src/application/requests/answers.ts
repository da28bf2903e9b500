import { DomainError } from '../../domain/errors.js';
import type { Answer, AnswerKey } from '../../domain/model/answer.js';
import { answerName } from '../../domain/policies/answer-name.js';
import type { Clock } from '../../domain/ports/system/clock.js';
import type { Admission, Admissions } from './admissions.js';
import type { Bulkhead } from './bulkhead.js';
import { type CircuitBreaker, Unavailable } from './circuit-breaker.js';
import { isFresh, type ProcessAnswers } from './process-answers.js';
import type { SharedAnswers } from './shared-answers.js';
import { SingleFlight } from './single-flight.js';
import type { Staleness } from './staleness.js';

export type AnswerKind = 'list' | 'detail';

/** How long an answer may be served again, in milliseconds. 0: never. */
export type CacheLifetimes = Readonly<Record<AnswerKind, number>>;

/** What a caller asks for. */
export interface Call extends Pick<AnswerKey, 'request'> {
  readonly kind: AnswerKind;
  /** Computes the answer. What it throws is passed on and never cached. */
  readonly compute: (organizationId: string) => Promise<Answer>;
}

export interface GivenAnswer {
  readonly answer: Answer;
  /** `stale`: the last cached one, which may be outdated. */
  readonly source: 'process' | 'shared' | 'computed' | 'stale';
  /** The generation that it shows. */
  readonly generation: number;
  /** Of a stale one, the time since it was computed; otherwise null. */
  readonly ageMs: number | null;
}

interface AnswerParts {
  readonly admissions: Pick<Admissions, 'readmit'>;
  readonly processAnswers: ProcessAnswers;
  /** The answers that all processes share. */
  readonly sharedAnswers: Pick<SharedAnswers, 'get' | 'put'>;
  readonly cacheLifetimesMs: CacheLifetimes;
  readonly staleness: Staleness;
  readonly bulkhead: Bulkhead;
  /** For reads of the storage. */
  readonly breaker: Pick<CircuitBreaker, 'attempt'>;
  readonly clock: Clock;
}

/**
 * Answers from the caches, by one computation for many callers, or with the last known answer while
 * storage is unavailable. The generation was read before the data, so a slow reader can only store
 * an answer under one that is no longer requested.
 */
export class Answers {
  readonly #running = new SingleFlight<GivenAnswer>();

  constructor(private readonly parts: AnswerParts) {}

  async answer(admission: Admission, call: Call): Promise<GivenAnswer> {
    const { generation } = admission;
    const { organizationId } = admission.key;
    const { request } = call;
    const key = { organizationId, generation, request };
    if (!admission.isConfirmed) return this.#unconfirmedAnswer(admission, key, call);
    const latest = this.parts.processAnswers.find(organizationId, request);
    if (latest?.generation === generation && isFresh(latest, this.parts.clock.now()))
      return { answer: latest.answer, source: 'process', generation, ageMs: null };
    try {
      // Concurrent requests for the same answer share one look-up and one computation.
      return await this.#running.share(answerName(key), () => this.#sharedOrComputed(key, call));
    } catch (error) {
      // This content does not exist any more. An outage does not bring it back here.
      if (error instanceof DomainError) this.parts.processAnswers.forget(organizationId, request);
      const last = error instanceof Unavailable ? this.#lastAnswer(key, call) : null;
      if (last === null) throw error;
      return last;
    }
  }

  async #sharedOrComputed(key: AnswerKey, call: Call): Promise<GivenAnswer> {
    const { processAnswers, sharedAnswers, cacheLifetimesMs, clock } = this.parts;
    const lifetimeMs = cacheLifetimesMs[call.kind];
    if (lifetimeMs === 0) return this.#compute(key, call);
    const sharedAnswer = await this.#shared(key);
    if (sharedAnswer !== null)
      return { answer: sharedAnswer, source: 'shared', generation: key.generation, ageMs: null };
    const computed = await this.#compute(key, call);
    const now = clock.now();
    processAnswers.keep(key, computed.answer, now, now + lifetimeMs);
    sharedAnswers.put(key, computed.answer, lifetimeMs);
    return computed;
  }

  /** The answer of another process, if there is one, which this process keeps as well. */
  async #shared(key: AnswerKey): Promise<Answer | null> {
    const sharedAnswer = await this.parts.sharedAnswers.get(key);
    if (sharedAnswer === null) return null;
    const { answer, expiresAt } = sharedAnswer;
    this.parts.processAnswers.keep(key, answer, this.parts.clock.now(), expiresAt);
    return answer;
  }

  async #compute({ organizationId, generation }: AnswerKey, { compute }: Call): Promise<GivenAnswer> {
    const { bulkhead, breaker } = this.parts;
    const answer = await breaker.attempt(() =>
      bulkhead.compute(organizationId, () => compute(organizationId)),
    );
    return { answer, source: 'computed', generation, ageMs: null };
  }

  /** An answer that is cached under an unconfirmed generation is not served as a current one. */
  async #unconfirmedAnswer(admission: Admission, key: AnswerKey, call: Call): Promise<GivenAnswer> {
    // Another process may have computed it.
    await this.#shared(key);
    const last = this.#lastAnswer(key, call);
    if (last !== null) return last;
    const generation = await this.parts.admissions.readmit(admission);
    return this.answer({ ...admission, generation, isConfirmed: true }, call);
  }

  /** Null: there is none that may be served. */
  #lastAnswer({ organizationId, generation, request }: AnswerKey, { kind }: Call): GivenAnswer | null {
    const { cacheLifetimesMs, staleness, clock } = this.parts;
    const lifetimeMs = cacheLifetimesMs[kind];
    const latest = this.parts.processAnswers.find(organizationId, request);
    const now = clock.now();
    if (latest === null || !staleness.mayServe(latest, lifetimeMs, generation, now)) return null;
    const ageMs = now - (latest.expiresAt - lifetimeMs);
    return { answer: latest.answer, source: 'stale', generation: latest.generation, ageMs };
  }
}
