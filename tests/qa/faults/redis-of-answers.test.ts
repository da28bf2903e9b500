import { expect } from 'chai';
import { SystemClock } from '../../../src/adapters/system/system-clock.js';
import { MemoryReadModel } from '../../../src/contracts/fakes/memory-read-model.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { aTag } from '../../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../../support/http/api-under-test.js';
import { Caller } from '../../support/http/caller.js';
import { bindReadSide, extendedProgram } from '../../support/programs/extended-api.js';
import { sampleOf } from '../../support/programs/scrape.js';
import { plainClient } from '../../support/redis/plain-client.js';
import { sharedRedis } from '../../support/redis/test-redis.js';

describe('With a separate Redis for answers', () => {
  const limits = sharedRedis();
  const answers = sharedRedis();
  const clientOfLimits = plainClient(() => limits().url);
  const clientOfAnswers = plainClient(() => answers().url);
  let apis: readonly [ApiUnderTest, ApiUnderTest];
  let callers: readonly [Caller, Caller];
  let path: string;
  let asked = 0;

  before(async () => {
    const urls = { redisUrls: [limits().url], redisCacheUrls: [answers().url] };
    apis = [await ApiUnderTest.start('memory', urls), await ApiUnderTest.start('memory', urls)];
    callers = [await Caller.of(apis[0], 'org'), await Caller.of(apis[1], 'org')];
    const [{ key }] = callers;
    await apis[1].putKey(key, 'org');
    await apis[0].putKey(callers[1].key, 'org');
    for (const api of apis) await api.put('tags', aTag({ id: 'tag', organizationId: 'org' }));
    // Unlike programs, these do not wait for their connections, and a busy machine may lose one.
    await eventually(async () => {
      asked += 1;
      path = `/api/v1/categories?website_id=${asked}`;
      const [first, second, third] = [await get(0), await get(1), await get(0)].map(remaining);
      expect([second, third]).to.deep.equal([Number(first) - 1, Number(first) - 2]);
    });
  });
  after(() => Promise.all((apis ?? []).map((api) => api.stop())));

  beforeEach(() => {
    asked += 1;
    path = `/api/v1/tags?website_id=${asked}`;
  });

  const get = (which: 0 | 1) => apis[which].get(path, { 'X-API-Key': callers[0].key });
  const remaining = (answer: Response) => Number(answer.headers.get('X-RateLimit-Remaining'));
  const names = async (client: ReturnType<typeof clientOfLimits>) =>
    new Set(
      (await client.keys('*')).map((name) => /\}(:\w+)?/.exec(name)?.[1]).filter((kind) => kind !== ':probe'),
    );

  it('processes share answers there, and limits on the other Redis', async () => {
    await eventually(async () => {
      path += '0';
      const found = [await get(0), await get(1)];
      expect(found.map(({ headers }) => headers.get('X-Cache'))).to.deep.equal(['MISS', 'HIT']);
    });
    expect(await names(clientOfAnswers())).to.deep.equal(new Set([':answer']));
    expect([...(await names(clientOfLimits()))]).to.include(':requests');
    expect([...(await names(clientOfLimits()))]).not.to.include(':answer');
  });

  it('the loss of all answers does not change a window', async () => {
    const before = remaining(await get(0));
    await clientOfAnswers().flushall();
    path += '0';
    expect(remaining(await get(1))).to.equal(before - 1);
  });

  it('an outage of that Redis costs a computation and no limit', async () => {
    const countOf = async (name: string) => sampleOf(await apis[0].metrics.text(), `blog_read_api_${name}`);
    const limitedBefore = await countOf('limited_without_redis_total');
    await answers().kill();
    try {
      const before = remaining(await get(0));
      for (let n = 1; n <= 10; n++) {
        path += '0';
        const answer = await get(n % 2 === 0 ? 0 : 1);
        expect([answer.status, remaining(answer)]).to.deep.equal([200, before - n]);
      }
      expect(await countOf('limited_without_redis_total')).to.equal(limitedBefore);
    } finally {
      await answers().startEmpty();
    }
  });

  it('a program without that Redis is degraded, not unready', async () => {
    const model = new MemoryReadModel(new SystemClock());
    const program = extendedProgram([{ api: (bind) => bindReadSide(bind, model) }], {
      REDIS_URL: limits().url,
      REDIS_CACHE_URL: 'redis://127.0.0.1:1',
    });
    await program.start();
    try {
      const checks = new Map(program.checks().map((check) => [check.name, check]));
      expect(await checks.get('redis')?.run()).to.include({ outcome: 'ok' });
      expect(await checks.get('redisCache')?.run()).to.include({ outcome: 'failure' });
      expect(checks.get('redisCache')?.isNeeded).to.equal(false);
    } finally {
      await program.stop();
    }
  });
});
