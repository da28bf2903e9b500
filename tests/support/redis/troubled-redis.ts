import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { RedisClient } from '../../../src/adapters/redis/connect-redis.js';

/** The fate of a command. `late` means when `thaw` is called. */
export type Fate = 'answered' | 'away' | 'not executed' | 'executed, unread' | 'read late' | 'executed late';

const CONNECTION_LOST = new Error('the connection is lost');

/**
 * Replaces the breaker of one process. The Redis behind it is real; the test decides what happens to commands and
 * replies.
 */
export class TroubledRedis {
  fate: Fate = 'answered';
  readonly #toNotify: (() => void)[] = [];
  #frozen: (() => void)[] = [];
  #pending = 0;

  constructor(private readonly redis: Redis) {}

  onConnect(notify: () => void): void {
    this.#toNotify.push(notify);
  }

  reconnect(): void {
    for (const notify of this.#toNotify) notify();
  }

  isOpenFor(_name: string): boolean {
    return this.fate === 'away';
  }

  slotOf(): number {
    return 0;
  }

  async run<Result>(
    command: (redis: RedisClient) => Promise<Result>,
    otherwise: () => Result | Promise<Result>,
  ): Promise<Result> {
    const { fate } = this;
    if (fate === 'away') return otherwise();
    this.#pending++;
    let reply = Promise.reject<Result>(CONNECTION_LOST);
    reply.catch(() => {});
    const executed = new Promise<void>((resolve) => {
      reply = command(this.#clientOf(fate, resolve)).finally(() => this.#pending--);
    });
    if (fate === 'answered') return reply;
    reply.catch(() => {});
    if (fate !== 'executed late') await executed;
    return otherwise();
  }

  thaw(): void {
    for (const go of this.#frozen.splice(0)) go();
  }

  /** Waits until only frozen commands are in flight. */
  async settled(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet = this.#pending === this.#frozen.length ? quiet + 1 : 0) {
      await nextTurn();
    }
  }

  #clientOf(fate: Fate, executed: () => void): RedisClient {
    const suffer = async (execute: () => Promise<unknown>) => {
      if (fate === 'not executed') {
        executed();
        throw CONNECTION_LOST;
      }
      if (fate === 'executed late') await this.#freeze();
      const reply = await execute();
      executed();
      if (fate === 'executed, unread') throw CONNECTION_LOST;
      if (fate === 'read late') await this.#freeze();
      return reply;
    };
    return new Proxy(this.redis, {
      get(target, name) {
        const value = Reflect.get(target, name, target);
        if (name === 'evalsha' || typeof value !== 'function') return value;
        return (...args: unknown[]) => suffer(() => value.apply(target, args));
      },
    });
  }

  #freeze(): Promise<void> {
    return new Promise((resolve) => this.#frozen.push(resolve));
  }
}
