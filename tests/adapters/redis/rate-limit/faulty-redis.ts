import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { RedisClient } from '../../../../src/adapters/redis/connection/connect-redis.js';

/** What happens to a command. `late` means when `runDelayed` is called. */
export type Outcome =
  | 'answered'
  | 'unavailable'
  | 'not executed'
  | 'executed, unread'
  | 'read late'
  | 'executed late';

const CONNECTION_LOST = new Error('the connection is lost');

/**
 * Replaces the breaker of one process. The Redis behind it is real; the test decides what happens to commands and
 * replies.
 */
export class FaultyRedis {
  outcome: Outcome = 'answered';
  #delayed: (() => void)[] = [];
  #pending = 0;

  constructor(private readonly redis: Redis) {}

  slotOf(): number {
    return 0;
  }

  async run<Result>(
    command: (redis: RedisClient) => Promise<Result>,
    fallback: () => Result | Promise<Result>,
  ): Promise<Result> {
    const { outcome } = this;
    if (outcome === 'unavailable') return fallback();
    this.#pending++;
    let reply = Promise.reject<Result>(CONNECTION_LOST);
    reply.catch(() => {});
    const executed = new Promise<void>((resolve) => {
      reply = command(this.#clientOf(outcome, resolve)).finally(() => this.#pending--);
    });
    if (outcome === 'answered') return reply;
    reply.catch(() => {});
    if (outcome !== 'executed late') await executed;
    return fallback();
  }

  runDelayed(): void {
    for (const go of this.#delayed.splice(0)) go();
  }

  /** Waits until only delayed commands are in flight. */
  async settled(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet = this.#pending === this.#delayed.length ? quiet + 1 : 0) {
      await nextTurn();
    }
  }

  #clientOf(outcome: Outcome, executed: () => void): RedisClient {
    const runWithFate = async (execute: () => Promise<unknown>) => {
      if (outcome === 'not executed') {
        executed();
        throw CONNECTION_LOST;
      }
      if (outcome === 'executed late') await this.#delay();
      const reply = await execute();
      executed();
      if (outcome === 'executed, unread') throw CONNECTION_LOST;
      if (outcome === 'read late') await this.#delay();
      return reply;
    };
    return new Proxy(this.redis, {
      get(target, name) {
        const value = Reflect.get(target, name, target);
        if (name === 'evalshaBuffer' || typeof value !== 'function') return value;
        return (...args: unknown[]) => runWithFate(() => value.apply(target, args));
      },
    });
  }

  #delay(): Promise<void> {
    return new Promise((resolve) => this.#delayed.push(resolve));
  }
}
