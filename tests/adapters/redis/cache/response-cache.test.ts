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
/** Half a second, with 20 ms between two attempts. */
const MAX_POLLS = 26;

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

  it('lets no local copy outlive the shared answer if the reply of Redis is late', async () => {
    const proxy = await TcpProxy.before(redis().port);
    const late = await ConnectedRedis.connect([proxy.url(redis().url)], 2_000);
    try {
      const cache = new RedisResponseCache(
        late.breaker,
        new MemoryResponseCache(new SystemClock(), 1_000_000),
      );
      await one.put(key, ANSWER, 1_000);
      proxy.hold((direction, bytes) => direction === 'reply' && bytes.includes('tag'));
      const waiting = cache.get(key);
      await eventually(() => expect(proxy.holdsBack('tag')).to.equal(true));
      const { answer } = answerNames(key);
      await eventually(async () => expect(await client().exists(answer)).to.equal(0));
      proxy.release();
      expect(await waiting).to.include({ level: 'shared' });
      expect(await cache.get(key)).to.equal(null);
    } finally {
      await late.close();
      await proxy.stop();
    }
  });

  it('sets an expiry on everything in Redis, including the lock', async () => {
    const names = answerNames(key);
    await one.get(key);
    expect(await client().pttl(names.lock)).to.be.within(1, 500);
    await one.put(key, ANSWER, MINUTE);
    expect(await client().pttl(names.answer)).to.be.within(MINUTE - 5_000, MINUTE);
    expect(await client().exists(names.lock)).to.equal(0);
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

  it('lets one of many processes compute, while the others wait for it', async () => {
    const processes = await Promise.all(Array.from({ length: 6 }, newProcess));
    let computations = 0;
    const claims = await claimsMade();
    const answers = await Promise.all(
      processes.map(async (process) => {
        const found = await process.get(key);
        if (found !== null) return found.answer;
        computations += 1;
        await eventually(async () => expect(await claimsMade()).to.be.at.least(claims + processes.length));
        await process.put(key, ANSWER, MINUTE);
        return ANSWER;
      }),
    );
    // A caller that looked before the answer was stored, and tried the lock afterwards, computes it once more.
    expect(computations).to.be.at.most(2);
    expect(new Set(answers.map(({ etag }) => etag))).to.deep.equal(new Set(['"tag"']));
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

  it('makes no caller wait longer than half a second for a process that crashed with the lock', async () => {
    expect(await one.get(key)).to.equal(null);
    const claims = await claimsMade();
    expect(await other.get(key)).to.equal(null);
    expect((await claimsMade()) - claims).to.be.at.most(MAX_POLLS);
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
