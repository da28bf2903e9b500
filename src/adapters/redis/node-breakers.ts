import { Cluster, type Redis, ReplyError } from 'ioredis';
import type { Log, LogDetails } from '../../domain/ports/log.js';
import type { Metrics } from '../../domain/ports/metrics.js';
import { CircuitBreaker } from './circuit-breaker.js';
import type { RedisClient } from './connect-redis.js';
import { ConnectionProblem } from './connection-problem.js';
import { probeName } from './key-names.js';
import { keySlot } from './key-slot.js';
import type { RedisPurpose } from './redis-purpose.js';
import { RedisScript } from './redis-script.js';
import type { ReplyDeadline } from './reply-deadline.js';

const PROBE_EVERY_MS = 250;

/** A script that writes, as requests send them: while those are refused, Redis is not back. */
const PROBE = new RedisScript(`return redis.call('SET', KEYS[1], '', 'PX', ARGV[1])`);

/**
 * One circuit breaker for the server, or one for each master of a cluster, so that a dead master only affects its own organizations.
 * Probes find out whether an open one can be closed.
 */
export class NodeBreakers {
  readonly #probe: NodeJS.Timeout;
  /** By address of the server or the master. */
  readonly #breakers = new Map<string, CircuitBreaker>();
  readonly #connection: ConnectionProblem;
  #lastFailure: string | null = null;

  constructor(
    private readonly redis: RedisClient,
    private readonly deadline: ReplyDeadline,
    private readonly log: Log,
    private readonly metrics: Metrics,
    private readonly purpose: RedisPurpose,
    private readonly onRecovery: () => void,
  ) {
    // Each failed attempt to connect causes an error. The circuit breaker logs the outage once, when a command needs the connection.
    this.#connection = new ConnectionProblem(redis, (reason) => log.debug('Redis connection', { reason }));
    this.#probe = setInterval(() => this.#probeOpen(), PROBE_EVERY_MS);
    this.#probe.unref();
  }

  get isAnyOpen(): boolean {
    return this.#open().length > 0;
  }

  /** A command without a connection does not know why there is none. */
  get reason(): string | null {
    return this.#connection.last ?? this.#lastFailure;
  }

  isOpenFor(name: string): boolean {
    return this.#breakers.size > 0 && this.#breakers.get(this.nodeOf(name))?.isOpen === true;
  }

  /** The address of the master that currently has `name`. */
  nodeOf(name: string): string {
    if (!(this.redis instanceof Cluster)) return '';
    return this.redis.slots[keySlot(name)]?.[0] ?? '';
  }

  succeed(node: string): void {
    this.#breakers.get(node)?.succeed();
  }

  fail(error: unknown, node: string, name: string): void {
    if (isSlotMoving(error)) return;
    if (isForeignValue(error)) {
      this.log.warn('Redis has a foreign value under a key of this service: delete it', {
        error,
        name,
      });
      return;
    }
    const breaker = this.#breakers.get(node) ?? new CircuitBreaker(probeName(name));
    this.#breakers.set(node, breaker);
    if (!breaker.fail(isRefusal(error))) return;
    this.#lastFailure = error instanceof Error ? error.message : String(error);
    this.metrics.count(this.purpose.opened.event);
    this.log.warn(this.purpose.opened.message, { reason: this.reason, error, ...detailsOf(node) });
  }

  stop(): void {
    clearInterval(this.#probe);
  }

  async #probeOpen(): Promise<void> {
    await Promise.all(this.#open().map((each) => this.#probeOne(each)));
  }

  async #probeOne([node, breaker]: [string, CircuitBreaker]): Promise<void> {
    try {
      await this.deadline.within(PROBE.run(this.redis, [breaker.probeName], [PROBE_EVERY_MS]));
    } catch (error) {
      if (breaker.failProbe(isRefusal(error))) this.#reconnect(node);
      return;
    }
    // The previous probe may have been late, and already have closed it.
    if (!breaker.isOpen) return;
    breaker.close();
    this.metrics.count(this.purpose.closed.event);
    this.log.info(this.purpose.closed.message, detailsOf(node));
    this.onRecovery();
  }

  /** The address may lead to another server by now, while the old server keeps its connections. */
  #reconnect(node: string): void {
    for (const connection of this.#connectionsTo(node)) {
      if (['ready', 'connect'].includes(connection.status)) connection.disconnect(true);
    }
  }

  #connectionsTo(node: string): readonly Redis[] {
    if (!(this.redis instanceof Cluster)) return [this.redis];
    return this.redis.nodes().filter(({ options: { host, port } }) => `${host}:${port}` === node);
  }

  #open(): readonly [string, CircuitBreaker][] {
    return [...this.#breakers].filter(([, breaker]) => breaker.isOpen);
  }
}

function detailsOf(node: string): LogDetails {
  return node === '' ? {} : { node };
}

/** Another program wrote under this name, which even a script may only find out at run time. Only this name goes without Redis. */
function isForeignValue(error: unknown): boolean {
  return isRefusal(error) && /\bWRONGTYPE\b|\battempt to (compare|perform arithmetic)\b/.test(String(error));
}

/**
 * A slot is moving from one master to another, and the keys of a command are on both (ASK, TRYAGAIN). Only requests for that slot go
 * without Redis.
 */
function isSlotMoving(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Too many Cluster redirections');
}

/** Out of memory, disk full, or a replica by now: reads may still succeed, and would hide that all writes fail. */
function isRefusal(error: unknown): boolean {
  return error instanceof ReplyError;
}
