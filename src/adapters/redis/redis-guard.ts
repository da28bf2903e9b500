import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Cluster, type Redis, ReplyError } from 'ioredis';
import type { Log, LogDetails } from '../../domain/ports/log.js';
import type { Metrics } from '../../domain/ports/metrics.js';
import { CircuitBreaker } from './circuit-breaker.js';
import type { RedisClient } from './connect-redis.js';
import { NO_ORGANIZATION, namePrefix, probeName } from './key-names.js';
import { keySlot } from './key-slot.js';
import { LIMITS_AND_GENERATIONS, type RedisPurpose } from './redis-purpose.js';
import { RedisScript } from './redis-script.js';
import { ReplyDeadline } from './reply-deadline.js';

const PROBE_EVERY_MS = 250;
const CONNECT_PATIENCE_MS = 1_000;

/** A script that writes, as requests send them: where those are refused, Redis is not back. */
const PROBE = new RedisScript(`return redis.call('SET', KEYS[1], '', 'PX', ARGV[1])`);

/**
 * Everything sent to Redis passes here. A command gets its time; after two failures in a row, or one refusal, Redis counts as away,
 * and whoever asks is sent to its own fallback at once. Each master of a cluster has a breaker
 * of its own: one that is dead leaves the others' organizations alone. Requests never find out at their own cost that Redis is back: a probe does.
 */
export class RedisGuard {
  readonly #deadline: ReplyDeadline;
  readonly #probe: NodeJS.Timeout;
  #isNamed = true;
  /** By the address of the server or of the master. */
  readonly #breakers = new Map<string, CircuitBreaker>();
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
    this.#watchConnections();
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

  /** What Redis answers, or what `otherwise` does while Redis is away, or that master of a cluster which has `name`. */
  async run<Result>(
    command: (redis: RedisClient) => Promise<Result>,
    otherwise: () => Result | Promise<Result>,
    name = NO_ORGANIZATION,
  ): Promise<Result> {
    if (!this.isAwayFor(name)) {
      const node = this.#nodeOf(name);
      try {
        this.#gather();
        const result = await this.#deadline.within(command(this.redis));
        this.#breakers.get(node)?.succeed();
        return result;
      } catch (error) {
        this.#noticeFailure(error, node, name);
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
    return this.#open().length > 0 || !this.#isNamed || (this.quicker?.isAway ?? false);
  }

  isAwayFor(name: string): boolean {
    if (!this.#isNamed) return true;
    if (this.#breakers.size > 0 && this.#breakers.get(this.#nodeOf(name))?.isOpen) return true;
    return this.quicker?.isAwayFor(name) ?? false;
  }

  async close(): Promise<void> {
    clearInterval(this.#probe);
    this.redis.disconnect();
  }

  async #look(): Promise<void> {
    await Promise.all(this.#open().map((each) => this.#probeOne(each)));
  }

  async #probeOne([node, breaker]: [string, CircuitBreaker]): Promise<void> {
    try {
      await this.#deadline.within(PROBE.run(this.redis, [breaker.probeName], [PROBE_EVERY_MS]));
    } catch (error) {
      if (breaker.failProbe(isRefusal(error))) this.#connectAnew(node);
      return;
    }
    // The probe before this one may have been late, and have found the same.
    if (!breaker.isOpen) return;
    breaker.close();
    this.metrics.count(this.purpose.regained.event);
    this.log.info(this.purpose.regained.message, this.#detailsOf(node));
    this.#notifyConnected();
  }

  /** The address may lead to another server by now, while this one keeps its connections. */
  #connectAnew(node: string): void {
    for (const connection of this.#connectionsTo(node)) {
      if (['ready', 'connect'].includes(connection.status)) connection.disconnect(true);
    }
  }

  #connectionsTo(node: string): readonly Redis[] {
    if (!(this.redis instanceof Cluster)) return [this.redis];
    return this.redis.nodes().filter(({ options: { host, port } }) => `${host}:${port}` === node);
  }

  /** A node of a cluster may come back alone, with less than it had. */
  #watchConnections(): void {
    const notify = () => this.#notifyConnected();
    if (!(this.redis instanceof Cluster)) {
      // While Redis refuses, each new connection is one more attempt; the probe that succeeds tells.
      this.redis.on('ready', () => this.#open().length > 0 || notify());
      return;
    }
    this.redis.on('ready', notify);
    for (const node of this.redis.nodes()) node.on('ready', notify);
    this.redis.on('+node', (node: Redis) => node.on('ready', notify));
  }

  #notifyConnected(): void {
    for (const notify of this.#toNotify) notify();
  }

  #open(): readonly [string, CircuitBreaker][] {
    return [...this.#breakers].filter(([, breaker]) => breaker.isOpen);
  }

  /** The address of the master that has `name` now. */
  #nodeOf(name: string): string {
    if (!(this.redis instanceof Cluster)) return '';
    return this.redis.slots[keySlot(name)]?.[0] ?? '';
  }

  #detailsOf(node: string): LogDetails {
    return node === '' ? {} : { node };
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

  #noticeFailure(error: unknown, node: string, name: string): void {
    if (isOfOneName(error)) {
      this.log.warn('Redis holds something else under a name of this service: delete it there', {
        error,
        name,
      });
      return;
    }
    const breaker = this.#breakers.get(node) ?? new CircuitBreaker(probeName(name));
    this.#breakers.set(node, breaker);
    if (!breaker.fail(isRefusal(error))) return;
    this.metrics.count(this.purpose.lost.event);
    this.log.warn(this.purpose.lost.message, { error, ...this.#detailsOf(node) });
  }
}

/** Somebody else wrote there: whose name it is goes without Redis, and nobody else. */
function isOfOneName(error: unknown): boolean {
  return isRefusal(error) && /\bWRONGTYPE\b/.test(String(error));
}

/** Memory full, disk full, a replica by now: reads may go on and would hide that nothing can be written any more. */
function isRefusal(error: unknown): boolean {
  return error instanceof ReplyError;
}
