import { expect } from 'chai';
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
    return new RedisResponseCache(breaker, new SystemClock());
  }

  it('keeps only the body of what Redis sent, not the packet that contained it', async () => {
    for (const length of [0, 10, 80_000]) {
      const sized = { ...key, request: `${length} bytes` };
      await one.put(sized, { ...ANSWER, body: Buffer.alloc(length, 'a') }, MINUTE);
      const body = (await other.get(sized))?.answer.body;
      expect(body?.byteLength).to.equal(length);
      expect(body?.buffer.byteLength).to.equal(length);
    }
  });

  it('says that a lifetime ended before the reply of Redis, if that is late', async () => {
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
      expect((await waiting)?.expiresAt).to.be.at.most(Date.now());
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
    }
  });

  it('has nothing, and keeps nothing, while Redis is unavailable', async () => {
    await one.put(key, ANSWER, MINUTE);
    await redis().kill();
    try {
      for (const cache of [one, other]) expect(await cache.get(key)).to.equal(null);
      await one.put(key, ANSWER, MINUTE);
      expect(await one.get(key)).to.equal(null);
    } finally {
      await redis().startEmpty();
    }
  });
});
