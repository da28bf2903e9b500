import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { CircuitState, ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel';
import { Cluster, ReplyError } from 'ioredis';
import type { Log } from '../../domain/ports/log.js';
import type { Metrics } from '../../domain/ports/metrics.js';
import type { RedisClient } from './connect-redis.js';
import { probeName } from './key-names.js';

const COMMAND_TIMEOUT_MS = 100;
/** The two commands that a request sends first: what it would send next is not tried any more. */
const FAILURES_TO_BREAK = 2;
const PROBE_EVERY_MS = 250;
/** Spread over the slots of a cluster, so that every master has one. */
const PROBES_OF_CLUSTER = 16;
const SLICES = 4;
const CONNECT_PATIENCE_MS = 1_000;

/**
 * Everything sent to Redis passes here. A command gets 100 ms; after two failures in a row, or one refusal, Redis counts as away,
 * and whoever asks is sent to its own fallback at once. Requests never find out at their own cost that Redis is back: a probe does.
 */
export class RedisGuard {
  readonly #breaker = circuitBreaker(handleAll, {
    breaker: new ConsecutiveBreaker(FAILURES_TO_BREAK),
    halfOpenAfter: PROBE_EVERY_MS,
  });
  readonly #probe: NodeJS.Timeout;
  #isolation: { dispose(): void } | null = null;
  #away = false;
  #notifyConnected: () => void = () => {};

  constructor(
    private readonly redis: RedisClient,
    private readonly log: Log,
    private readonly metrics: Metrics,
    private readonly timeoutMs = COMMAND_TIMEOUT_MS,
  ) {
    // Each failed attempt to connect is one; the breaker says it once, when a command needs the connection.
    this.redis.on('error', (error: Error) => this.log.debug('Redis connection', { error }));
    this.#probe = setInterval(() => this.#look(), PROBE_EVERY_MS);
    this.#probe.unref();
  }

  /** Settles when Redis is connected, or when it is clear that this takes longer. */
  async connected(): Promise<void> {
    if (this.redis.status === 'ready') return;
    const waiting = new AbortController();
    const { signal } = waiting;
    const patience = pause(CONNECT_PATIENCE_MS, undefined, { signal });
    await Promise.race([once(this.redis, 'ready', { signal }), patience].map((end) => end.catch(() => {})));
    waiting.abort();
  }

  /** Calls back whenever Redis is there again: it may have forgotten what it knew, and has missed what was said meanwhile. */
  onConnect(notify: () => void): void {
    this.#notifyConnected = notify;
    this.redis.on('ready', notify);
  }

  /** What Redis answers, or what `otherwise` does while Redis is away. */
  async run<Result>(
    command: (redis: RedisClient) => Promise<Result>,
    otherwise: () => Result | Promise<Result>,
  ): Promise<Result> {
    if (this.#breaker.state === CircuitState.Closed) {
      try {
        return await this.#breaker.execute(() => within(this.timeoutMs, command(this.redis)));
      } catch (error) {
        this.#noticeFailure(error);
      }
    }
    this.metrics.count('without-redis');
    return otherwise();
  }

  /** Asks Redis itself: no request may have done so for a while. */
  async answers(): Promise<boolean> {
    if (this.#away) return false;
    return within(this.timeoutMs, this.redis.ping()).then(
      () => true,
      () => false,
    );
  }

  get isAway(): boolean {
    return this.#away;
  }

  async close(): Promise<void> {
    clearInterval(this.#probe);
    this.redis.disconnect();
  }

  async #look(): Promise<void> {
    if (!this.#away) return;
    try {
      await within(this.timeoutMs, this.#writeEverywhere());
    } catch {
      return;
    }
    this.#isolation?.dispose();
    this.#isolation = null;
    this.#away = false;
    this.metrics.count('redis-regained');
    this.log.info('Redis is back: limits and cache are shared again');
    this.#notifyConnected();
  }

  /** A cluster that has lost one master is away for some organizations. */
  async #writeEverywhere(): Promise<void> {
    const probes = Array.from({ length: this.redis instanceof Cluster ? PROBES_OF_CLUSTER : 1 }, (_, n) =>
      probeName(n),
    );
    await Promise.all(probes.map((name) => this.redis.set(name, '', 'PX', PROBE_EVERY_MS)));
  }

  #noticeFailure(error: unknown): void {
    if (this.#away || (this.#breaker.state === CircuitState.Closed && !isRefusal(error))) return;
    this.#away = true;
    // Held open until a probe succeeds: requests never find out at their own cost.
    this.#isolation = this.#breaker.isolate();
    this.metrics.count('redis-lost');
    this.log.warn('Redis is away: each process limits and caches on its own until it is back', { error });
  }
}

/**
 * Time passes in slices, and one in which this process was too busy to look counts as one, however long it was: a library's timer
 * would reject replies that have arrived and wait to be read, and a process under load would take itself for an outage.
 */
function within<Result>(milliseconds: number, reply: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    let slicesLeft = SLICES;
    const giveUp = () => reject(new Error(`Redis did not answer within ${milliseconds} ms`));
    const nextSlice = () => {
      slicesLeft--;
      timer =
        slicesLeft > 0
          ? setTimeout(nextSlice, milliseconds / SLICES)
          : setTimeout(() => setImmediate(giveUp));
    };
    let timer = setTimeout(nextSlice, milliseconds / SLICES);
    reply.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Memory full, disk full, a replica by now: reads may go on and would hide that nothing can be written any more. */
function isRefusal(error: unknown): boolean {
  return error instanceof ReplyError;
}
