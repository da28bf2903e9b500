import { expect } from 'chai';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { aTag } from '../../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../../support/http/api-under-test.js';
import { Caller } from '../../support/http/caller.js';
import { TcpProxy } from '../../support/network/tcp-proxy.js';
import { sharedRedis } from '../../support/redis/test-redis.js';

describe('A request', () => {
  const redis = sharedRedis();
  let proxy: TcpProxy;
  let api: ApiUnderTest;
  let other: ApiUnderTest;
  let caller: Caller;

  before(async () => {
    proxy = (await TcpProxy.before(redis().port)).record();
    api = await ApiUnderTest.start('memory', { redisUrls: [proxy.url(redis().url)] });
    other = await ApiUnderTest.start('memory', { redisUrls: [redis().url] });
    caller = await Caller.of(api, 'org');
    await other.putKey(caller.key, 'org');
    for (const each of [api, other]) await each.put('tags', aTag({ id: 'tag', organizationId: 'org' }));
    await eventually(async () => {
      await caller.get('/api/v1/tags');
      expect(proxy.passed.some(({ bytes }) => bytes.includes(':requests:'))).to.equal(true);
    });
  });

  after(async () => {
    await Promise.all([api?.stop(), other?.stop()]);
    await proxy?.stop();
  });

  async function tripsOf(path: string) {
    const begin = proxy.passed.length;
    const answer = await caller.get(path);
    const trips = proxy.passed.slice(begin);
    return {
      cache: answer.headers['x-cache'],
      directions: trips.map(({ direction }) => direction),
      text: trips.map(({ bytes }) => bytes.toString('latin1')),
    };
  }

  it('makes one round trip to Redis, with one packet of commands, if the answer is in the local cache', async () => {
    await tripsOf('/api/v1/tags');
    for (let n = 0; n < 20; n++) {
      const { cache, directions, text } = await tripsOf('/api/v1/tags');
      expect(cache).to.equal('HIT');
      expect(directions).to.deep.equal(['request', 'reply']);
      expect(text[0]).to.contain(':requests:');
    }
  });

  it('makes two round trips to Redis if another process has computed the answer', async () => {
    // The storages are separate, but have the same content and, because their clocks stand still, the same generation.
    const path = '/api/v1/tags?website_id=web_a1';
    expect((await other.get(path, { 'X-API-Key': caller.key })).headers.get('X-Cache')).to.equal('MISS');
    const { cache, directions } = await tripsOf(path);
    expect(cache).to.equal('HIT');
    expect(directions).to.deep.equal(['request', 'reply', 'request', 'reply']);
  });
});
