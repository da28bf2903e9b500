import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { aBlog, aTag } from '../../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../../support/http/api-under-test.js';
import { Caller } from '../../support/http/caller.js';
import { LocalProxy } from '../../support/network/local-proxy.js';
import { plainClient } from '../../support/postgres/plain-client.js';
import { sampleOf } from '../../support/programs/scrape.js';
import { sharedRedis } from '../../support/redis/test-redis.js';

const MEGABYTE = 1_000_000;
/** 20 Mbit/s: a megabyte takes 0.4 s, four times the timeout of a command of the limiter. */
const LINK_BYTES_PER_SECOND = 2.5 * MEGABYTE;
const MEGABYTES = [1, 1, 1, 1, 3, 10];

const CHUNK_BYTES = 16 * 1024;

/** A connection to a server that carries this many bytes a second in each direction. */
class SlowLink extends LocalProxy {
  private constructor(
    serverPort: number,
    private readonly bytesPerSecond: number,
  ) {
    super(serverPort);
  }

  static before(serverPort: number, bytesPerSecond: number): Promise<SlowLink> {
    return new SlowLink(serverPort, bytesPerSecond).listen();
  }

  protected override carry(from: Socket, to: Socket): void {
    let carried = Promise.resolve();
    from.on('data', (bytes) => {
      carried = carried.then(async () => {
        for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
          const chunk = bytes.subarray(at, at + CHUNK_BYTES);
          // The delay of a single packet is negligible.
          if (bytes.length > 1_500) await pause((1_000 * chunk.length) / this.bytesPerSecond);
          to.write(chunk);
        }
      });
    });
  }
}

describe('While one organization has answers of many megabytes on a slow link,', () => {
  const redis = sharedRedis();
  const client = plainClient(() => redis().url);
  let link: SlowLink;
  let near: ApiUnderTest;
  let far: ApiUnderTest;

  before(async () => {
    link = await SlowLink.before(redis().port, LINK_BYTES_PER_SECOND);
    far = await ApiUnderTest.start('memory', { redisUrls: [link.url(redis().url)] });
    near = await ApiUnderTest.start('memory', { redisUrls: [redis().url] });
    for (const api of [near, far]) {
      const blogs = MEGABYTES.map((megabytes, n) =>
        aBlog({ id: `blog_${n}`, organizationId: 'large', contentHtml: 'x'.repeat(megabytes * MEGABYTE) }),
      );
      await api.put('blogs', ...blogs);
      await api.put('tags', aTag({ id: 'tag', organizationId: 'small' }));
    }
  });
  after(async () => {
    await Promise.all([near?.stop(), far?.stop()]);
    link?.stop();
  });

  const countOf = async (name: string) => sampleOf(await far.metrics.text(), `blog_read_api_${name}`);

  /** Sends the bystander's requests while all large answers are requested at once. */
  async function askBoth(large: Caller, bystander: Caller): Promise<number> {
    let isDone = false;
    const answers = Promise.all(MEGABYTES.map((_, n) => large.get(`/api/v1/blogs/blog_${n}`)));
    void answers.finally(() => {
      isDone = true;
    });
    let asked = 0;
    while (!isDone) {
      const { status, headers } = await bystander.get('/api/v1/tags');
      expect(status).to.equal(200);
      asked += 1;
      expect(100_000 - Number(headers['x-ratelimit-remaining'])).to.equal(asked);
    }
    for (const { status } of await answers) expect(status).to.equal(200);
    return asked;
  }

  for (const way of ['to Redis', 'from Redis']) {
    it(`${way}, no request is limited without Redis`, async () => {
      await client().flushall();
      const organizations = { large: await Caller.of(far, 'large'), small: await Caller.of(far, 'small') };
      if (way === 'from Redis') {
        await near.putKey(organizations.large.key, 'large');
        for (const n of MEGABYTES.keys()) {
          await near.get(`/api/v1/blogs/blog_${n}`, { 'X-API-Key': organizations.large.key });
        }
      }
      expect(await askBoth(organizations.large, organizations.small)).to.be.greaterThan(0);

      expect(await countOf('limited_without_redis_total')).to.equal(0);
    });
  }

  it('no answer larger than a megabyte is stored in Redis', async () => {
    const names = await client().keys('*:answer:*');
    const sizes = await Promise.all(names.map((name) => client().strlen(name)));
    expect(Math.max(...sizes)).to.be.within(MEGABYTE, 1.05 * MEGABYTE);
  });
});
