import keySlot from 'cluster-key-slot';
import type { Cluster, Redis } from 'ioredis';
import { reasonOf } from '../../../domain/policies/reason-of.js';
import type { Log, LogDetails } from '../../../domain/ports/system/log.js';
import type { Metrics } from '../../../domain/ports/system/metrics.js';
import {
  ConnectionProblem,
  connectedInTime,
  isCluster,
  type RedisClient,
  reconnect,
} from './connect-redis.js';
import { NO_ORGANIZATION, namePrefix } from './key-names.js';
import { withDeadline } from './reply-deadline.js';

/** The address may lead to another server by now, whatever the state of the connection. */
const PROBES_TO_RECONNECT = 3;

export interface RedisPurpose {
  /** The time limit of a command. */
  readonly commandTimeoutMs: number;
  /** What the log says when the circuit breaker opens, and when it closes. */
  readonly opened: string;
  readonly closed: string;
  /** Sends the commands of this purpose. While Redis refuses one of them, it is not available. */
  readonly probe: (redis: RedisClient, name: string) => Promise<unknown>;
}

/** Open while a server counts as unavailable. */
interface Breaker {
  readonly isOpen: boolean;
  /** A call has failed. Resolves when it is clear whether the server is unavailable. */
  fail(): Promise<void>;
  /** There are no more probes. */
  stop(): void;
}

export type NewBreaker = (
  probe: () => Promise<unknown>,
  opened: (error: unknown) => void,
  closed: () => void,
) => Breaker;

interface Node {
  readonly breaker: Breaker;
  /** The last name for which a command failed. Probes use it to reach this node: slots may move. */
  failedName: string;
}

/**
 * All commands to Redis go through here. While a server is away, callers are told at once. Each
 * master of a cluster has its own circuit breaker, for its organizations only.
 */
export class RedisBreaker {
  readonly #connection: ConnectionProblem;
  readonly #cluster: Cluster | null;
  /** Null: it is a cluster. */
  readonly #server: Redis | null;
  /** The nodes that have failed, by address. */
  readonly #nodes = new Map<string, Node>();
  #lastFailure: string | null = null;
  #isNamed = true;
  #isBatching = false;
  #readInstallation: (() => Promise<string>) | null = null;
  #naming: Promise<void> | null = null;

  constructor(
    private readonly redis: RedisClient,
    private readonly log: Log,
    private readonly metrics: Metrics,
    private readonly purpose: RedisPurpose,
    private readonly newBreaker: NewBreaker,
    /** A breaker of the same server that notices an outage sooner; null: there is none. */
    private readonly fasterBreaker: RedisBreaker | null,
  ) {
    this.#cluster = isCluster(redis) ? redis : null;
    this.#server = isCluster(redis) ? null : redis;
    // The circuit breaker logs the outage once, when a command needs the connection.
    this.#connection = new ConnectionProblem(redis, (reason) => log.debug('Redis connection', { reason }));
  }

  /** Resolves when Redis is connected, or when it is clear that this takes longer. */
  connected(): Promise<void> {
    return connectedInTime(this.redis);
  }

  /** Sends a probe, so that a problem is logged before the first request. */
  async tryOut(): Promise<void> {
    await this.attempt(NO_ORGANIZATION, (redis) => this.purpose.probe(redis, NO_ORGANIZATION));
  }

  /** Null: the installation is unknown, and nothing is sent, because no name would be right. */
  setInstallation(installation: string | null): void {
    this.#isNamed = installation !== null;
    if (installation !== null) this.redis.options.keyPrefix = namePrefix(installation);
  }

  /** Reads the installation when a command needs it, until it can be read. */
  namedBy(readInstallation: () => Promise<string>): this {
    this.setInstallation(null);
    this.#readInstallation = readInstallation;
    return this;
  }

  /** Only names of the same slot may share a command. Without a cluster, all names have slot 0. */
  slotOf(name: string): number {
    return this.#cluster === null ? 0 : keySlot(name);
  }

  /** The reply; null if the command fails, or while the server that has `name` is unavailable. */
  async attempt<Reply>(name: string, command: (redis: RedisClient) => Promise<Reply>): Promise<Reply | null> {
    if (!this.#isNamed) await this.#name();
    if (!this.isOpenFor(name)) {
      const address = this.#addressOf(name);
      try {
        this.#batch();
        return await this.#inTime(command(this.redis));
      } catch (error) {
        void this.#fail(error, address, name);
      }
    }
    this.metrics.count('without-redis');
    return null;
  }

  /** Sends what requests send: there may have been none for a while. */
  async answers(): Promise<boolean> {
    if (!this.#isNamed) await this.#name();
    if (this.isOpen) return false;
    return this.#probe(NO_ORGANIZATION).then(
      () => true,
      () => false,
    );
  }

  get isOpen(): boolean {
    const isAnyOpen = [...this.#nodes.values()].some(({ breaker }) => breaker.isOpen);
    return isAnyOpen || !this.#isNamed || (this.fasterBreaker?.isOpen ?? false);
  }

  /** Whether the installation is known. */
  get isNamed(): boolean {
    return this.#isNamed;
  }

  /** Why Redis is unavailable; null: nothing has failed. */
  get reason(): string | null {
    return this.#connection.last ?? this.#lastFailure ?? this.fasterBreaker?.reason ?? null;
  }

  isOpenFor(name: string): boolean {
    if (!this.#isNamed || this.fasterBreaker?.isOpenFor(name)) return true;
    return this.#nodes.size > 0 && this.#nodes.get(this.#addressOf(name))?.breaker.isOpen === true;
  }

  async close(): Promise<void> {
    for (const { breaker } of this.#nodes.values()) breaker.stop();
    this.redis.disconnect();
  }

  #inTime<Reply>(reply: Promise<Reply>): Promise<Reply> {
    return withDeadline(this.purpose.commandTimeoutMs, reply);
  }

  async #probe(name: string): Promise<void> {
    try {
      await this.#inTime(this.purpose.probe(this.redis, name));
      this.#lastFailure = null;
    } catch (error) {
      this.#lastFailure = reasonOf(error);
      throw error;
    }
  }

  async #name(): Promise<void> {
    if (this.#readInstallation === null) return;
    this.#naming ??= this.#readInstallation()
      .then((installation) => this.setInstallation(installation))
      // The caller goes without Redis, and the next one tries again.
      .catch(() => {})
      .finally(() => {
        this.#naming = null;
      });
    // Before that, it counts as open.
    const ofFaster = this.fasterBreaker?.isNamed === false ? this.fasterBreaker.#name() : null;
    await Promise.all([this.#naming, ofFaster]);
  }

  /** The address of the master of a cluster that currently has `name`. */
  #addressOf(name: string): string {
    return this.#cluster?.slots[keySlot(name)]?.[0] ?? '';
  }

  async #fail(error: unknown, address: string, name: string): Promise<void> {
    const node = this.#nodes.get(address) ?? this.#addNode(address, name);
    node.failedName = name;
    await node.breaker.fail();
    if (node.breaker.isOpen || !(error instanceof Error && error.name === 'ReplyError')) return;
    const message = 'Redis refuses a command, but not the probe: there is a foreign value under its key';
    this.log.warn(message, { error, name });
  }

  #addNode(address: string, failedName: string): Node {
    const { opened, closed } = this.purpose;
    const details: LogDetails = address === '' ? {} : { node: address };
    let failedProbes = 0;
    const probe = async () => {
      try {
        await this.#probe(node.failedName);
        failedProbes = 0;
      } catch (error) {
        failedProbes++;
        if (failedProbes % PROBES_TO_RECONNECT === 0) reconnect(this.redis, address);
        throw error;
      }
    };
    const breaker = this.newBreaker(
      probe,
      (error) => this.log.warn(opened, { reason: this.reason, error, ...details }),
      () => this.log.info(closed, details),
    );
    const node = { breaker, failedName };
    this.#nodes.set(address, node);
    return node;
  }

  /** Sends the commands of one turn as one packet. The client of a cluster does that itself. */
  #batch(): void {
    if (this.#isBatching || this.#server?.status !== 'ready') return;
    this.#isBatching = true;
    const { stream } = this.#server;
    stream.cork();
    process.nextTick(() => {
      stream.uncork();
      this.#isBatching = false;
    });
  }
}
