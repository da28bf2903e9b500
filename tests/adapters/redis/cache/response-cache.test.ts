import { expect } from 'chai';
import { MemoryResponseCache } from '../../../../src/adapters/memory/memory-response-cache.js';
import { RedisResponseCache } from '../../../../src/adapters/redis/cache/redis-response-cache.js';
import { answerNames } from '../../../../src/adapters/redis/connection/key-names.js';
import { SystemClock } from '../../../../src/adapters/system/system-clock.js';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { freshId } from '../../../../src/contracts/support/fresh-id.js';
import type { Answer, AnswerKey } from '../../../../src/domain/model/answer.js';
import { TcpProxy } from '../../../support/network/tcp-proxy.js';
import { plainClient } from '../../../support/postgres/plain-client.js';
import { ConnectedRedis, processesOf } from '../../../support/redis/connected-redis.js';
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
    const local = new MemoryResponseCache(new SystemClock(), 10_000_000);
    return new RedisResponseCache((await connect(2_000)).breaker, local);
  }

  const plain = (kept: { answer: Answer } | null) =>
    kept && {
      etag: kept.answer.etag,
      body: Buffer.from(kept.answer.body).toString('hex'),
    };

  /** By all processes. Each attempt to get a missing answer is one claim. */
  async function claimsMade(): Promise<number> {
    return Number(/cmdstat_set:calls=(\d+)/.exec(await client().info('commandstats'))?.[1]);
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

  it('keeps no local copy longer than the shared answer', async () => {
    await one.put(key, ANSWER, 1_000);
    expect(await other.get(key)).not.to.equal(null);
    const { answer } = answerNames(key);
    await eventually(async () => expect(await client().exists(answer)).to.equal(0));
    expect(await other.get(key)).to.equal(null);
  });

  it('lets no caller compute an answer that was stored just before it tried the lock', async () => {
    const proxy = await TcpProxy.before(redis().port);
    const late = await ConnectedRedis.connect([proxy.url(redis().url)], 2_000);
    try {
      const cache = new RedisResponseCache(
        late.breaker,
        new MemoryResponseCache(new SystemClock(), 1_000_000),
      );
      expect(await one.get(key)).to.equal(null);
      proxy.hold((direction, bytes) => direction === 'request' && bytes.includes(':lock'));
      const waiting = cache.get(key);
      await eventually(() => expect(proxy.holdsBack(':lock')).to.equal(true));
      await one.put(key, ANSWER, MINUTE);
      proxy.release();
      expect(plain(await waiting)).to.deep.equal(plain({ answer: ANSWER }));
    } finally {
      await late.close();
      await proxy.stop();
    }
  });

  it('shares a body of one mebibyte, and lets every process compute a larger one without waiting', async () => {
    const bodies = [2 ** 20, 2 ** 20 + 1].map((size) => Buffer.alloc(size, 'x'));
    for (const [at, body] of bodies.entries()) {
      const variant = { ...key, request: `${at}` };
      expect(await one.get(variant)).to.equal(null);
      await one.put(variant, { ...ANSWER, body }, MINUTE);
      const claims = await claimsMade();
      const found = await Promise.all([other.get(variant), (await newProcess()).get(variant)]);
      expect(found.map((kept) => kept?.answer.body.byteLength ?? null)).to.deep.equal(
        at === 0 ? [2 ** 20, 2 ** 20] : [null, null],
      );
      expect(await claimsMade()).to.equal(claims);
      expect(await client().strlen(answerNames(variant).answer)).to.equal(at === 0 ? 2 ** 20 + 12 : 0);
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
