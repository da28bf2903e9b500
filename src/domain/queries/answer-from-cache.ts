import type { Answer, AnswerKey, CacheLevel, KeptAnswer } from '../model/answer.js';
import type { Awaitable } from '../model/awaitable.js';
import { SingleFlight } from '../model/single-flight.js';
import { answerName } from '../policies/answer-name.js';
import type { AnswerKind, CacheLifetimes } from '../policies/cache-lifetimes.js';
import type { ResponseCache } from '../ports/response-cache.js';
import type { Bulkhead } from './bulkhead.js';

export interface AnswerFromCache extends AnswerKey {
  readonly kind: AnswerKind;
  /** Computes the answer anew; what it throws is passed on and never kept. */
  readonly compute: () => Promise<Answer>;
}

export type AnswerSource = CacheLevel | 'computed';

export interface CachedAnswer {
  readonly answer: Answer;
  readonly source: AnswerSource;
}

const UNBOUNDED: Pick<Bulkhead, 'run'> = { run: (_organizationId, compute) => compute() };

/**
 * The generation in the key was read before the data: a slow reader can then only store under a generation that nobody asks
 * for any more.
 */
export class AnswerFromCacheHandler {
  readonly #underway = new SingleFlight<CachedAnswer>();

  constructor(
    private readonly cache: ResponseCache,
    private readonly lifetimes: CacheLifetimes,
    private readonly bulkhead: Pick<Bulkhead, 'run'> = UNBOUNDED,
  ) {}

  /** Callers who want the same answer at the same time share one look into the cache, and one computation. */
  handle(query: AnswerFromCache): Awaitable<CachedAnswer> {
    // Named only where somebody may wait for it: a HIT near at hand does not.
    const underway = this.#underway.isEmpty ? undefined : this.#underway.get(answerName(query));
    if (underway !== undefined) return underway;

    const { organizationId, generation, request } = query;
    const key = { organizationId, generation, request };
    const lifetime = this.lifetimes.of(query.kind);
    const kept = lifetime === 0 ? null : this.cache.get(key);
    if (kept !== null && !(kept instanceof Promise)) return cached(kept);

    return this.#underway.run(answerName(key), () => this.#answer(key, query.compute, lifetime, kept));
  }

  async #answer(
    key: AnswerKey,
    computeUnbounded: () => Promise<Answer>,
    lifetime: number,
    lookedFor: Promise<KeptAnswer | null> | null,
  ): Promise<CachedAnswer> {
    const compute = () => this.bulkhead.run(key.organizationId, computeUnbounded);
    if (lifetime === 0) return { answer: await compute(), source: 'computed' };

    const kept = await lookedFor;
    if (kept !== null) return cached(kept);
    return { answer: await this.#computeAndKeep(key, lifetime, compute), source: 'computed' };
  }

  async #computeAndKeep(key: AnswerKey, lifetime: number, compute: () => Promise<Answer>): Promise<Answer> {
    try {
      const answer = await compute();
      await this.cache.put(key, answer, lifetime);
      return answer;
    } catch (error) {
      await this.cache.release(key);
      throw error;
    }
  }
}

function cached({ answer, level }: KeptAnswer): CachedAnswer {
  return { answer, source: level };
}
