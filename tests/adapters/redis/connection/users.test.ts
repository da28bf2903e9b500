import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { ANSWERS } from '../../../../src/adapters/redis/cache/redis-response-cache.js';
import { connectRedis } from '../../../../src/adapters/redis/connection/connect-redis.js';
import { NO_ORGANIZATION } from '../../../../src/adapters/redis/connection/key-names.js';
import type { RedisPurpose } from '../../../../src/adapters/redis/connection/redis-breaker.js';
import { LIMITS } from '../../../../src/adapters/redis/rate-limit/redis-request-log.js';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { itPassesOnRedis, processes } from '../../../contracts/redis-contracts.js';
import { ConnectedRedis } from '../../../support/redis/connected-redis.js';
import { sharedRedis } from '../../../support/redis/test-redis.js';

const PASSWORD = 'word';
const TIMEOUT_MS = 60_000;
const PAGE = readFileSync('docs/operations/servers.md', 'utf8');

/** The words after ACL SETUSER in the only line of the documentation that begins with `start`. */
function documented(start: string): readonly string[] {
  const lines = [...PAGE.matchAll(/^ACL SETUSER (.*)$/gm)].map(([, words = '']) => words);
  const [line = '', ...others] = lines.filter((words) => words.startsWith(start));
  expect(others).to.deep.equal([]);
  return line.replace('PASSWORD', PASSWORD).split(' ');
}

describe('A user of Redis with the documented rights', () => {
  const redis = sharedRedis();
  let admin: Redis;
  const url = () => `redis://blog-read-api:${PASSWORD}@127.0.0.1:${redis().port}`;
  const setUser = (...words: readonly string[]) => admin.call('ACL', 'SETUSER', ...words);
  const connectedWith = async (purpose: RedisPurpose) => {
    const connected = await ConnectedRedis.connect([url()], {
      ...purpose,
      commandTimeoutMs: TIMEOUT_MS,
    });
    connected.breaker.setInstallation('contracts');
    return connected;
  };

  before(() => {
    admin = new Redis(redis().url);
  });
  after(() => admin?.disconnect());
  beforeEach(async () => {
    await setUser(...documented('blog-read-api on'));
  });

  it('may do nothing else', async () => {
    const user = new Redis(url());
    for (const [name, ...args] of [['keys', '*'], ['flushall'], ['config', 'get', '*'], ['get', 'other']]) {
      const refused = await user.call(name as string, ...args).catch((error: Error) => error.message);
      expect(refused).to.match(/^NOPERM/);
    }
    user.disconnect();
  });

  describe('passes the contract suites that use Redis:', () => {
    itPassesOnRedis(processes(() => connectRedis([url()])));
  });

  const USED: Readonly<Record<string, readonly [RedisPurpose, commands: string]>> = {
    limits: [LIMITS, 'evalsha time lindex llen ltrim rpush pexpire'],
    answers: [ANSWERS, 'set get pttl'],
  };
  for (const [what, [purpose, commands]] of Object.entries(USED)) {
    it(`counts as unavailable for ${what} if it lacks one of the rights for them`, async () => {
      const { breaker } = await connectedWith(purpose);
      const fail = () => breaker.attempt(NO_ORGANIZATION, () => Promise.reject(new Error('refused')));
      for (const command of commands.split(' ')) {
        await setUser('blog-read-api', `-${command}`);
        // Again and again: a failed command shares the verdict of a probe that was sent before.
        await eventually(async () => {
          await fail();
          expect(breaker.isOpen, `without ${command}`).to.equal(true);
        });
        await setUser('blog-read-api', `+${command}`);
        await eventually(() => expect(breaker.isOpen).to.equal(false));
      }
      await breaker.close();
    });
  }
});
