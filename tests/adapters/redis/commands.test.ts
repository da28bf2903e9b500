import { once } from 'node:events';
import { expect } from 'chai';
import { RedisResponseCache } from '../../../src/adapters/redis/cache/redis-response-cache.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.js';
import { processesOf } from '../../support/redis/connected-redis.js';
import { plainClient } from '../../support/redis/plain-client.js';
import { requestLogOn } from '../../support/redis/request-log-on.js';
import { sharedRedis } from '../../support/redis/test-redis.js';

const ORGANIZATIONS = ['', 'org', '{org}', 'org}', 'o{r}g', 'an organization', 'é😀'];
/** Commands that read or delete more than the keys that they name. */
const FORBIDDEN = /^(keys|scan|flushall|flushdb|randomkey|monitor|config|debug|shutdown)$/i;

describe('The Redis commands of the service', () => {
  const redis = sharedRedis();
  const client = plainClient(() => redis().url);
  const connect = processesOf(() => redis().url);
  let commands: string[][];

  beforeEach(async () => {
    await client().flushall();
    const monitor = await client().monitor();
    commands = [];
    monitor.on('monitor', (_time: string, args: string[]) => commands.push(args));
    await useEverything();
    const last = once(monitor, 'monitor');
    await client().echo('end');
    await last;
    monitor.disconnect();
  });

  async function useEverything(): Promise<void> {
    const clock = new SystemClock();
    for (const { breaker } of [
      await connect({ commandTimeoutMs: 60_000 }),
      await connect({ commandTimeoutMs: 60_000 }),
    ]) {
      breaker.setInstallation('test');
      const log = requestLogOn(breaker);
      const cache = new RedisResponseCache(breaker, clock);
      for (const organizationId of ORGANIZATIONS) {
        for (let n = 0; n < 3; n++)
          await log.record({ id: 'key', organizationId }, { limit: 2, lengthMs: 60_000 });
        const answer = { body: Buffer.from('body'), etag: '""' };
        const key = { organizationId, generation: 7, request: 'one' };
        if ((await cache.get(key)) === null) await cache.put(key, answer, 60_000);
      }
    }
  }

  it('name each key: none searches, lists or flushes', () => {
    expect(commands.length).to.be.greaterThan(50);
    const names = commands.map(([name = '']) => name.toLowerCase());
    expect(names.filter((name) => FORBIDDEN.test(name))).to.deep.equal([]);
  });

  it('use one prefix, and every key that they leave expires', async () => {
    const keys = await client().keys('*');
    expect(keys.length).to.be.at.least(ORGANIZATIONS.length * 2);
    for (const key of keys) {
      expect(key).to.match(/^blog-read:5:test:\{=[^{}]*\}:/);
      // -1: no expiry. A key that has expired since it was listed no longer exists.
      expect(await client().pttl(key), key).not.to.equal(-1);
    }
  });

  it('put all keys of an organization, whatever its name, into one slot of a cluster', async () => {
    const tags = new Set((await client().keys('*')).map((key) => /\{=([^}]*)\}/.exec(key)?.[1]));
    expect(tags).to.deep.equal(new Set(ORGANIZATIONS.map(encodeURIComponent)));
  });
});
