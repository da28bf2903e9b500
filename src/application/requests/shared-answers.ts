import type { Answer, AnswerKey, KeptAnswer } from '../../domain/model/answer.js';
import { reasonOf } from '../../domain/policies/reason-of.js';
import type { ResponseCache } from '../../domain/ports/answering/response-cache.js';
import type { Clock } from '../../domain/ports/system/clock.js';
import type { Log } from '../../domain/ports/system/log.js';
import type { Metrics } from '../../domain/ports/system/metrics.js';

/** Failures with a shorter time between them are one outage. */
const OUTAGE_ENDS_AFTER_MS = 10_000;

type Call = 'get' | 'put';

/** A cache that fails has nothing and keeps nothing: each process computes its own answers. */
export class SharedAnswers {
  #lastFailure: { readonly call: Call; readonly failedAt: number; readonly reason: string } | null = null;

  constructor(
    private readonly cache: ResponseCache,
    /** A monotonic clock. */
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {}

  /** Why the cache fails; null: it does not. */
  get reason(): string | null {
    return this.#lastFailure?.reason ?? null;
  }

  get(key: AnswerKey): Promise<KeptAnswer | null> {
    // Many clients have `undefined` for nothing.
    return this.#attempt('get', async () => (await this.cache.get(key)) ?? null);
  }

  /** Delays no answer. */
  put(key: AnswerKey, answer: Answer, lifetimeMs: number): void {
    void this.#attempt('put', async () => this.cache.put(key, answer, lifetimeMs));
  }

  async #attempt<Result>(call: Call, send: () => Promise<Result>): Promise<Result | null> {
    try {
      const result = await send();
      this.#succeeded(call);
      return result;
    } catch (error) {
      this.#failed(call, error);
      return null;
    }
  }

  /** With a full disk, only `put` fails. */
  #succeeded(call: Call): void {
    const failure = this.#lastFailure;
    if (failure?.call !== call || this.clock.now() < failure.failedAt + OUTAGE_ENDS_AFTER_MS) return;
    this.#lastFailure = null;
    this.log.info('The shared cache works again');
  }

  #failed(call: Call, error: unknown): void {
    this.metrics.count('cache-failed');
    if (this.#lastFailure === null)
      this.log.warn('The shared cache fails: each process computes and caches its own answers', {
        call,
        error,
      });
    this.#lastFailure = { call, failedAt: this.clock.now(), reason: `${call}: ${reasonOf(error)}` };
  }
}
