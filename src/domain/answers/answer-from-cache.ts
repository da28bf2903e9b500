import type { Answer, AnswerKey, CacheLevel, KeptAnswer } from '../model/answer.js';
import type { Awaitable } from '../model/awaitable.js';
import { SingleFlight } from '../model/single-flight.js';
import { RecordedSnapshot, type Snapshot } from '../model/snapshot.js';
import { answerName } from '../policies/answer-name.js';
import type { ResponseCache } from '../ports/response-cache.js';
import type { Bulkhead } from './bulkhead.js';

export type AnswerKind = 'list' | 'detail';

/** How long an answer may be served again, in milliseconds. 0: never. */
export type CacheLifetimes = Readonly<Record<AnswerKind, number>>;

export interface AnswerFromCache extends AnswerKey {
  readonly kind: AnswerKind;
  /** Computes the answer. What it throws is passed on and never cached. */
  readonly compute: (snapshot: Snapshot) => Promise<Answer>;
}

export type AnswerSource = CacheLevel | 'computed';

export interface CachedAnswer {
  readonly answer: Answer;
  readonly source: AnswerSource;
  /** The requested generation, or a later one; earlier only if the storage has nothing newer. */
  readonly generation: number;
}

const UNBOUNDED: Pick<Bulkhead, 'run'> = { run: (_organizationId, compute) => compute() };

/**
 * The generation is read before the data, so a slow reader can only store an answer under a
 * generation that is no longer requested. An answer from a lagging replica is not stored.
 */
export class AnswerFromCacheHandler {
  readonly #running = new SingleFlight<CachedAnswer>();

  constructor(
    private readonly cache: ResponseCache,
    private readonly cacheLifetimesMs: CacheLifetimes,
    private readonly bulkhead: Pick<Bulkhead, 'run'> = UNBOUNDED,
  ) {}

  /** Concurrent requests for the same answer share one cache lookup and one computation. */
  handle(query: AnswerFromCache): Awaitable<CachedAnswer> {
    // The name is built only if a computation is in progress: a HIT in memory skips it.
    const running = this.#running.isEmpty ? undefined : this.#running.get(answerName(query));
    if (running !== undefined) return running;

    const { organizationId, generation, request } = query;
    const key = { organizationId, generation, request };
    const lifetimeMs = this.cacheLifetimesMs[query.kind];
    const kept = lifetimeMs === 0 ? null : this.cache.get(key);
    if (kept !== null && !(kept instanceof Promise)) return cached(kept, generation);

    return this.#running.run(answerName(key), () => this.#answer(key, query.compute, lifetimeMs, kept));
  }

  async #answer(
    key: AnswerKey,
    computeUnbounded: AnswerFromCache['compute'],
    lifetimeMs: number,
    found: Promise<KeptAnswer | null> | null,
  ): Promise<CachedAnswer> {
    const compute = async (): Promise<CachedAnswer> => {
      const snapshot = new RecordedSnapshot(key.generation);
      const answer = await this.bulkhead.run(key.organizationId, () => computeUnbounded(snapshot));
      return { answer, source: 'computed', generation: snapshot.generation };
    };
    if (lifetimeMs === 0) return compute();

    const kept = await found;
    return kept === null ? this.#computeAndKeep(key, lifetimeMs, compute) : cached(kept, key.generation);
  }

  async #computeAndKeep(
    key: AnswerKey,
    lifetimeMs: number,
    compute: () => Promise<CachedAnswer>,
  ): Promise<CachedAnswer> {
    try {
      const computed = await compute();
      if (computed.generation < key.generation) await this.cache.release(key);
      else await this.cache.put(key, computed.answer, lifetimeMs);
      return computed;
    } catch (error) {
      await this.cache.release(key);
      throw error;
    }
  }
}

function cached({ answer, level }: KeptAnswer, generation: number): CachedAnswer {
  return { answer, source: level, generation };
}
