import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { ANSWERS } from '../../../../src/adapters/redis/cache/redis-response-cache.js';
import { connectRedis } from '../../../../src/adapters/redis/connection/connect-redis.js';
import type { RedisPurpose } from '../../../../src/adapters/redis/connection/redis-breaker.js';
import {
  PUBLISHING,
  RedisGenerations,
} from '../../../../src/adapters/redis/generations/redis-generations.js';
import { LIMITS } from '../../../../src/adapters/redis/rate-limit/redis-request-log.js';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { itPassesOnRedis, processes } from '../../../contracts/redis-contracts.js';
import { ConnectedRedis } from '../../../support/redis/connected-redis.js';
import { sharedRedis } from '../../../support/redis/test-redis.js';

const PASSWORD = 'word';
const TIMEOUT_MS = 60_000;
const PAGE = readFileSync('docs/operations.md', 'utf8');

type Program = 'api' | 'sync';

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
  const urlOf = (program: Program) => `redis://blog-read-${program}:${PASSWORD}@127.0.0.1:${redis().port}`;
  const setUser = (...words: readonly string[]) => admin.call('ACL', 'SETUSER', ...words);
  const connectedAs = async (program: Program, purpose: Partial<RedisPurpose> = {}) => {
    const connected = await ConnectedRedis.connect([urlOf(program)], {
      ...purpose,
      commandTimeoutMs: TIMEOUT_MS,
    });
    connected.breaker.setInstallation('contracts');
    return connected;
  };
  const refusals = async () =>
    ((await admin.acl('LOG')) as unknown[][]).map((entry) => `${entry[7]} ${entry[5]}: ${entry[9]}`);

  before(() => {
    admin = new Redis(redis().url);
  });
  after(() => admin?.disconnect());
  beforeEach(async () => {
    for (const program of ['api', 'sync']) await setUser(...documented(`blog-read-${program} on`));
    await admin.acl('LOG', 'RESET');
  });

  for (const program of ['api', 'sync'] as const) {
    it(`may do nothing else, as the user of ${program}`, async () => {
      const user = new Redis(urlOf(program));
      for (const [name, ...args] of [['keys', '*'], ['flushall'], ['config', 'get', '*'], ['get', 'other']]) {
        const refused = await user.call(name as string, ...args).catch((error: Error) => error.message);
        expect(refused).to.match(/^NOPERM/);
      }
      user.disconnect();
    });
  }

  describe('passes the contract suites that use Redis:', () => {
    itPassesOnRedis(processes(() => connectRedis([urlOf('api')])));
  });

  it('may publish generations as the worker does, without a refusal', async () => {
    const { breaker, metrics } = await connectedAs('sync');
    expect(await breaker.answers()).to.equal(true);
    await new RedisGenerations(breaker).publish([
      { organizationId: 'org', generation: 7 },
      { organizationId: 'other', generation: 8 },
    ]);
    await admin.script('FLUSH');
    await new RedisGenerations(breaker).publish([{ organizationId: 'org', generation: 9 }]);
    expect(metrics.of('without-redis')).to.equal(0);
    await breaker.close();
    expect(await refusals()).to.deep.equal([]);
  });

  const USED: Readonly<Record<string, readonly [Program, RedisPurpose, commands: string]>> = {
    limits: ['api', LIMITS, 'evalsha time get lindex llen ltrim rpush pexpire'],
    answers: ['api', ANSWERS, 'set get pttl'],
    generations: ['sync', PUBLISHING, 'evalsha get set'],
  };
  for (const [what, [program, purpose, commands]] of Object.entries(USED)) {
    it(`counts as unavailable for ${what} if it lacks one of the rights for them`, async () => {
      const { breaker } = await connectedAs(program, purpose);
      const fail = () =>
        breaker.run(
          () => Promise.reject(new Error('refused')),
          () => 'fallback',
        );
      await fail();
      for (const command of commands.split(' ')) {
        await setUser(`blog-read-${program}`, `-${command}`);
        await fail();
        await eventually(() => expect(breaker.isOpen, `without ${command}`).to.equal(true));
        await setUser(`blog-read-${program}`, `+${command}`);
        await eventually(() => expect(breaker.isOpen).to.equal(false));
      }
      await breaker.close();
    });
  }
});
