import { expect } from 'chai';
import { MemoryResponseCache } from '../../../../src/adapters/memory/memory-response-cache.js';
import { RedisResponseCache } from '../../../../src/adapters/redis/cache/redis-response-cache.js';
import { answerName } from '../../../../src/adapters/redis/connection/key-names.js';
import { SystemClock } from '../../../../src/adapters/system/system-clock.js';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { freshId } from '../../../../src/contracts/support/fresh-id.js';
import type { Answer, AnswerKey } from '../../../../src/domain/model/answer.js';
import { TcpProxy } from '../../../support/network/tcp-proxy.js';
import { ConnectedRedis, processesOf } from '../../../support/redis/connected-redis.js';
import { plainClient } from '../../../support/redis/plain-client.js';
import { sharedRedis } from '../../../support/redis/test-redis.js';

const ANSWER: Answer = {
  body: Buffer.from('{"data":"é\\n"}\n\0'),
  etag: '"tag"',
};
const MINUTE = 60_000;

describe('RedisResponseCache', () => {
  const redis = sharedRedis();
  const client = plainClient(() => redis().url);
  const connect = processesOf(() => redis().url);
  let one: RedisResponseCache;
  let other: RedisResponseCache;
  let key: AnswerKey;

  beforeEach(async () => {
    [one, other] = [await newProcess(), await newProcess()];
    key = {
      organizationId: freshId('org'),
      generation: 1_768_000_000_000_000,
      request: '["/blogs",{"page":1}]',
    };
  });

  async function newProcess(): Promise<RedisResponseCache> {
    return cacheOf(await connect({ commandTimeoutMs: 60_000 }));
  }

  function cacheOf({ breaker }: ConnectedRedis): RedisResponseCache {
    const clock = new SystemClock();
    return new RedisResponseCache(breaker, new MemoryResponseCache(clock, 10_000_000), clock);
  }

  const plain = (kept: { answer: Answer } | null) =>
    kept && {
      etag: kept.answer.etag,
      body: Buffer.from(kept.answer.body).toString('hex'),
    };

  it('keeps only the body of what Redis sent, not the packet that contained it', async () => {
    for (const length of [0, 10, 80_000]) {
      const sized = { ...key, request: `${length} bytes` };
      await one.put(sized, { ...ANSWER, body: Buffer.alloc(length, 'a') }, MINUTE);
      const body = (await other.get(sized))?.answer.body;
      expect(body?.byteLength).to.equal(length);
      expect(body?.buffer.byteLength).to.equal(length);
    }
  });

  it('keeps no local copy longer than the shared answer', async () => {
    await one.put(key, ANSWER, 1_000);
    expect(await other.get(key)).not.to.equal(null);
    const name = answerName(key);
    await eventually(async () => expect(await client().exists(name)).to.equal(0));
    expect(await other.get(key)).to.equal(null);
  });

  it('lets no local copy outlive the shared answer if the reply of Redis is late', async () => {
    const proxy = await TcpProxy.before(redis().port);
    const late = await ConnectedRedis.connect([proxy.url(redis().url)], { commandTimeoutMs: 60_000 });
    try {
      const cache = cacheOf(late);
      await one.put(key, ANSWER, 1_000);
      proxy.hold((direction, bytes) => direction === 'reply' && bytes.includes('tag'));
      const waiting = cache.get(key);
      await eventually(() => expect(proxy.holdsBack('tag')).to.equal(true));
      const name = answerName(key);
      await eventually(async () => expect(await client().exists(name)).to.equal(0));
      proxy.release();
      expect(await waiting).to.include({ level: 'shared' });
      expect(await cache.get(key)).to.equal(null);
    } finally {
      await late.close();
      await proxy.stop();
    }
  });

  it('shares a body of one mebibyte, and no larger one', async () => {
    const bodies = [2 ** 20, 2 ** 20 + 1].map((size) => Buffer.alloc(size, 'x'));
    for (const [at, body] of bodies.entries()) {
      const variant = { ...key, request: `${at}` };
      expect(await one.get(variant)).to.equal(null);
      await one.put(variant, { ...ANSWER, body }, MINUTE);
      const shared = await other.get(variant);
      expect(shared?.answer.body.byteLength ?? null).to.equal(at === 0 ? 2 ** 20 : null);
      expect((await one.get(variant))?.level).to.equal('process');
    }
  });

  it('makes no caller wait while Redis is unavailable, and serves local answers', async () => {
    await one.put(key, ANSWER, MINUTE);
    await redis().kill();
    try {
      const kept = await one.get(key);
      expect(plain(kept)).to.deep.equal(plain({ answer: ANSWER }));
      expect(kept).to.include({ level: 'process' });
      expect(await other.get(key)).to.equal(null);
      const unseen = { ...key, request: 'unseen' };
      expect(await one.get(unseen)).to.equal(null);
      await one.put(unseen, ANSWER, MINUTE);
      expect(plain(await one.get(unseen))).to.deep.equal(plain({ answer: ANSWER }));
    } finally {
      await redis().startEmpty();
    }
  });
});
