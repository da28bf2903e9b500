import type { Answer, AnswerKey, CacheLevel } from '../model/answer.js';
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
  readonly #underway = new Map<string, Promise<CachedAnswer>>();

  constructor(
    private readonly cache: ResponseCache,
    private readonly lifetimes: CacheLifetimes,
    private readonly bulkhead: Pick<Bulkhead, 'run'> = UNBOUNDED,
  ) {}

  /** Callers who want the same answer at the same time share one look into the cache, and one computation. */
  handle(query: AnswerFromCache): Promise<CachedAnswer> {
    const name = answerName(query);
    const underway = this.#underway.get(name);
    if (underway !== undefined) return underway;

    const answer = this.#answer(query).finally(() => this.#underway.delete(name));
    this.#underway.set(name, answer);
    return answer;
  }

  async #answer(query: AnswerFromCache): Promise<CachedAnswer> {
    const { kind, compute: computeUnbounded, ...key } = query;
    const compute = () => this.bulkhead.run(key.organizationId, computeUnbounded);
    const lifetime = this.lifetimes.of(kind);
    if (lifetime === 0) return { answer: await compute(), source: 'computed' };

    const kept = await this.cache.get(key);
    if (kept !== null) return { answer: kept.answer, source: kept.level };
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
