import { expect } from 'chai';
import { MemoryResponseCache } from '../../../src/adapters/memory/memory-response-cache.js';
import { RedisResponseCache } from '../../../src/adapters/redis/cache/redis-response-cache.js';
import { LIMITS_AND_GENERATIONS } from '../../../src/adapters/redis/connection/redis-breaker.js';
import { RedisGenerations } from '../../../src/adapters/redis/generations/redis-generations.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { freshId } from '../../../src/contracts/support/fresh-id.js';
import type { Answer } from '../../../src/domain/model/answer.js';
import type { WindowState } from '../../../src/domain/model/window.js';
import { plainClient } from '../../support/postgres/plain-client.js';
import { type ConnectedRedis, processesOf } from '../../support/redis/connected-redis.js';
import { requestLogOn } from '../../support/redis/request-log-on.js';
import { sharedRedis } from '../../support/redis/test-redis.js';

const MEGABYTE = 1024 * 1024;
const BACK = LIMITS_AND_GENERATIONS.closed;
const WINDOW = { limit: 1_000, lengthMs: 60_000 };

describe('A Redis whose memory is full', () => {
  const redis = sharedRedis();
  const client = plainClient(() => redis().url);
  const connect = processesOf(() => redis().url);
  const clock = new SystemClock();
  let process: ConnectedRedis;
  let organizationId: string;
  let generations: RedisGenerations;

  beforeEach(async () => {
    await client().config('SET', 'maxmemory', '0');
    await client().flushall();
    process = await connect(1_000);
    organizationId = freshId('org');
    generations = new RedisGenerations(process.breaker);
  });

  async function allowMore(bytes: number, policy: string): Promise<void> {
    const used = Number(/used_memory:(\d+)/.exec(await client().info('memory'))?.[1]);
    await client().config('SET', 'maxmemory-policy', policy);
    await client().config('SET', 'maxmemory', String(used + bytes));
  }

  const anAnswer = (size: number): Answer => ({
    body: Buffer.alloc(size, 'x'),
    etag: `"${size}"`,
  });

  /** All Redis calls of a request, in their order. */
  async function request(n: number): Promise<WindowState> {
    const cache = new RedisResponseCache(
      process.breaker,
      new MemoryResponseCache(clock, MEGABYTE / 2),
      clock,
    );
    const log = requestLogOn(process.breaker, process);
    const [state] = await Promise.all([
      log.record({ id: 'key', organizationId }, WINDOW),
      generations.published(organizationId),
    ]);
    const key = { organizationId, generation: 1, request: String(n) };
    const found = await cache.get(key);
    if (found === null) await cache.put(key, anAnswer(100_000), 60_000);
    return state;
  }

  it('that evicts the least recently used keys is still shared, without a failure', async () => {
    await allowMore(2 * MEGABYTE, 'allkeys-lru');
    for (let n = 0; n < 100; n++) {
      expect((await request(n)).accepted).to.equal(true);
    }
    expect(Number(/evicted_keys:(\d+)/.exec(await client().info('stats'))?.[1])).to.be.greaterThan(0);
    expect(process.metrics.of('without-redis')).to.equal(0);
  });

  it('that refuses writes does not count as available after each new connection', async () => {
    await request(0);
    await allowMore(-MEGABYTE / 2, 'noeviction');
    let connections = 0;
    process.client.on('ready', () => connections++);
    await request(1);
    await eventually(() => expect(connections).to.be.at.least(3));
    expect(process.log.messages).not.to.include(BACK);

    await client().config('SET', 'maxmemory', '0');
    await eventually(() => expect(process.breaker.isOpen).to.equal(false));
    expect(process.log.messages.filter((message) => message === BACK)).to.have.length(1);
  });
});
