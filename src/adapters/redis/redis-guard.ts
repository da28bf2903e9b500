import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Cluster, Redis, ReplyError } from 'ioredis';
import type { Log } from '../../domain/ports/log.js';
import type { Metrics } from '../../domain/ports/metrics.js';
import type { RedisClient } from './connect-redis.js';
import { namePrefix, probeName } from './key-names.js';
import { LIMITS_AND_GENERATIONS, type RedisPurpose } from './redis-purpose.js';
import { ReplyDeadline } from './reply-deadline.js';

/** One may be bad luck. */
const FAILURES_TO_BREAK = 2;
const PROBE_EVERY_MS = 250;
/** Spread over the slots of a cluster, so that every master has one. */
const PROBES_OF_CLUSTER = 16;
const CONNECT_PATIENCE_MS = 1_000;

/**
 * Everything sent to Redis passes here. A command gets its time; after two failures in a row, or one refusal, Redis counts as away,
 * and whoever asks is sent to its own fallback at once. Requests never find out at their own cost that Redis is back: a probe does.
 */
export class RedisGuard {
  readonly #deadline: ReplyDeadline;
  readonly #probe: NodeJS.Timeout;
  #failuresInARow = 0;
  #away = false;
  #isNamed = true;
  #isGathering = false;
  readonly #toNotify: (() => void)[] = [];

  constructor(
    private readonly redis: RedisClient,
    private readonly log: Log,
    private readonly metrics: Metrics,
    private readonly purpose: RedisPurpose = LIMITS_AND_GENERATIONS,
    /** Of the same server, and sooner to notice that it is away. */
    private readonly quicker: RedisGuard | null = null,
  ) {
    this.#deadline = new ReplyDeadline(purpose.commandTimeoutMs);
    // Each failed attempt to connect is one; the breaker says it once, when a command needs the connection.
    this.redis.on('error', (error: Error) => this.log.debug('Redis connection', { error }));
    this.redis.on('ready', () => this.#notifyConnected());
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
    this.#toNotify.push(notify);
  }

  /**
   * All that is sent from now on lies under names of this installation. Null: it is not known yet, and nothing is sent, for no name
   * would be right. Under other names Redis is like another one, that may know less.
   */
  nameAfter(installation: string | null): void {
    this.#isNamed = installation !== null;
    if (installation === null || this.redis.options.keyPrefix === namePrefix(installation)) return;
    this.redis.options.keyPrefix = namePrefix(installation);
    this.#notifyConnected();
  }

  /** What Redis answers, or what `otherwise` does while Redis is away. */
  async run<Result>(
    command: (redis: RedisClient) => Promise<Result>,
    otherwise: () => Result | Promise<Result>,
  ): Promise<Result> {
    if (!this.isAway) {
      try {
        this.#gather();
        const result = await this.#deadline.within(command(this.redis));
        this.#failuresInARow = 0;
        return result;
      } catch (error) {
        this.#noticeFailure(error);
      }
    }
    this.metrics.count('without-redis');
    return otherwise();
  }

  /** Asks Redis itself: no request may have done so for a while. */
  async answers(): Promise<boolean> {
    if (this.isAway) return false;
    return this.#deadline.within(this.redis.ping()).then(
      () => true,
      () => false,
    );
  }

  get isAway(): boolean {
    return this.#away || !this.#isNamed || (this.quicker?.isAway ?? false);
  }

  async close(): Promise<void> {
    clearInterval(this.#probe);
    this.redis.disconnect();
  }

  async #look(): Promise<void> {
    if (!this.#away) return;
    try {
      await this.#deadline.within(this.#writeEverywhere());
    } catch (error) {
      if (isRefusal(error)) this.#connectAnew();
      return;
    }
    this.#away = false;
    this.#failuresInARow = 0;
    this.metrics.count(this.purpose.regained.event);
    this.log.info(this.purpose.regained.message);
    this.#notifyConnected();
  }

  /** The address may lead to another server by now, while this one keeps its connections. A cluster's client finds the masters itself. */
  #connectAnew(): void {
    if (this.redis instanceof Redis && this.redis.status === 'ready') this.redis.disconnect(true);
  }

  #notifyConnected(): void {
    for (const notify of this.#toNotify) notify();
  }

  /** A cluster that has lost one master is away for some organizations. */
  async #writeEverywhere(): Promise<void> {
    const probes = Array.from({ length: this.redis instanceof Cluster ? PROBES_OF_CLUSTER : 1 }, (_, n) =>
      probeName(n),
    );
    await Promise.all(probes.map((name) => this.redis.set(name, '', 'PX', PROBE_EVERY_MS)));
  }

  /** What is sent in one turn of the event loop leaves as one packet. A cluster's client sees to it itself. */
  #gather(): void {
    if (this.#isGathering || this.redis instanceof Cluster || this.redis.status !== 'ready') return;
    this.#isGathering = true;
    const { stream } = this.redis;
    stream.cork();
    setImmediate(() => {
      stream.uncork();
      this.#isGathering = false;
    });
  }

  #noticeFailure(error: unknown): void {
    this.#failuresInARow++;
    if (this.#away || (this.#failuresInARow < FAILURES_TO_BREAK && !isRefusal(error))) return;
    this.#away = true;
    this.metrics.count(this.purpose.lost.event);
    this.log.warn(this.purpose.lost.message, { error });
  }
}

/** Memory full, disk full, a replica by now: reads may go on and would hide that nothing can be written any more. */
function isRefusal(error: unknown): boolean {
  return error instanceof ReplyError;
}
