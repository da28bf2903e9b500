import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Cluster, type Redis } from 'ioredis';
import type { Log } from '../../domain/ports/log.js';
import type { Metrics } from '../../domain/ports/metrics.js';
import { CONNECT_TIMEOUT_MS, type RedisClient } from './connect-redis.js';
import { NO_ORGANIZATION, namePrefix } from './key-names.js';
import { keySlot } from './key-slot.js';
import { NodeBreakers } from './node-breakers.js';
import { LIMITS_AND_GENERATIONS, type RedisPurpose } from './redis-purpose.js';
import { ReplyDeadline } from './reply-deadline.js';

/** The first attempt has ended by then, so the first warning has its cause. */
const READY_TIMEOUT_MS = CONNECT_TIMEOUT_MS + 500;

/**
 * All commands to Redis go through here. Each command has a time limit. After two failures in a row, or one refusal, Redis is considered
 * unavailable, and callers use their fallback at once. Only probes detect that it is available again, so no request is delayed.
 */
export class RedisBreaker {
  readonly #deadline: ReplyDeadline;
  readonly #breakers: NodeBreakers;
  #isNamed = true;
  #isBatching = false;
  readonly #toNotify: (() => void)[] = [];

  constructor(
    private readonly redis: RedisClient,
    log: Log,
    private readonly metrics: Metrics,
    purpose: RedisPurpose = LIMITS_AND_GENERATIONS,
    /** A breaker of the same server that notices an outage sooner. */
    private readonly fasterBreaker: RedisBreaker | null = null,
  ) {
    this.#deadline = new ReplyDeadline(purpose.commandTimeoutMs);
    const notify = () => this.#notifyConnected();
    this.#breakers = new NodeBreakers(redis, this.#deadline, log, metrics, purpose, notify);
    this.#watchConnections(notify);
  }

  /** Resolves when Redis is connected, or when it is clear that this takes longer. */
  async connected(): Promise<void> {
    const waiting = new AbortController();
    const { signal } = waiting;
    const timeout = pause(READY_TIMEOUT_MS, undefined, { signal });
    await Promise.race([this.#ready(signal), timeout].map((end) => end.catch(() => {})));
    waiting.abort();
  }

  /** Calls back whenever Redis is connected again: it may have lost data, and has missed the commands in between. */
  onConnect(notify: () => void): void {
    this.#toNotify.push(notify);
  }

  /**
   * From now on, all names belong to this installation. Null: it is not known yet, and nothing is sent, because no name would be right.
   * After a change of names, callers are notified as for a new server, because the new names may hold nothing.
   */
  setInstallation(installation: string | null): void {
    this.#isNamed = installation !== null;
    if (installation === null || this.redis.options.keyPrefix === namePrefix(installation)) return;
    this.redis.options.keyPrefix = namePrefix(installation);
    this.#notifyConnected();
  }

  /** Only names of the same slot may share a command. Without a cluster, all names have slot 0. */
  slotOf(name: string): number {
    return this.redis instanceof Cluster ? keySlot(name) : 0;
  }

  /** The reply of Redis, or the result of `fallback` while Redis, or the master of a cluster that has `name`, is unavailable. */
  async run<Result>(
    command: (redis: RedisClient) => Promise<Result>,
    fallback: () => Result | Promise<Result>,
    name = NO_ORGANIZATION,
  ): Promise<Result> {
    if (!this.isOpenFor(name)) {
      const node = this.#breakers.nodeOf(name);
      try {
        this.#batch();
        const result = await this.#deadline.within(command(this.redis));
        this.#breakers.succeed(node);
        return result;
      } catch (error) {
        this.#breakers.fail(error, node, name);
      }
    }
    this.metrics.count('without-redis');
    return fallback();
  }

  /** Sends a command to Redis: there may have been no request for a while. */
  async answers(): Promise<boolean> {
    if (this.isOpen) return false;
    return this.#deadline.within(this.redis.ping()).then(
      () => true,
      () => false,
    );
  }

  get isOpen(): boolean {
    return this.#breakers.isAnyOpen || !this.#isNamed || (this.fasterBreaker?.isOpen ?? false);
  }

  /** Whether the installation is known. */
  get isNamed(): boolean {
    return this.#isNamed;
  }

  /** Why Redis is unavailable, or was the last time. Null: nothing has failed. */
  get reason(): string | null {
    return this.#breakers.reason ?? this.fasterBreaker?.reason ?? null;
  }

  isOpenFor(name: string): boolean {
    return !this.#isNamed || this.#breakers.isOpenFor(name) || (this.fasterBreaker?.isOpenFor(name) ?? false);
  }

  async close(): Promise<void> {
    this.#breakers.stop();
    this.redis.disconnect();
  }

  async #ready(signal: AbortSignal): Promise<void> {
    if (this.redis.status !== 'ready') await once(this.redis, 'ready', { signal });
    const masters = this.redis instanceof Cluster ? this.redis.nodes('master') : [];
    await Promise.all(
      masters.map(async (master) => master.status === 'ready' || (await once(master, 'ready', { signal }))),
    );
  }

  /** A node of a cluster may come back alone, and have lost data. */
  #watchConnections(notify: () => void): void {
    if (!(this.redis instanceof Cluster)) {
      // While Redis refuses commands, a new connection is just another attempt. The probe that succeeds reports that it is back.
      this.redis.on('ready', () => this.#breakers.isAnyOpen || notify());
      return;
    }
    this.redis.on('ready', notify);
    for (const node of this.redis.nodes()) node.on('ready', notify);
    this.redis.on('+node', (node: Redis) => node.on('ready', notify));
  }

  #notifyConnected(): void {
    for (const notify of this.#toNotify) notify();
  }

  /** Sends the commands of one turn as one packet. The client of a cluster does that itself. */
  #batch(): void {
    if (this.#isBatching || this.redis instanceof Cluster || this.redis.status !== 'ready') return;
    this.#isBatching = true;
    const { stream } = this.redis;
    stream.cork();
    process.nextTick(() => {
      stream.uncork();
      this.#isBatching = false;
    });
  }
}
