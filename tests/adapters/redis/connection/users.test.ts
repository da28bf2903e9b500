import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { connectRedis } from '../../../../src/adapters/redis/connection/connect-redis.js';
import {
  COMMANDS_OF,
  COMMANDS_ON_CLUSTER,
  KEYS,
  RedisProbe,
} from '../../../../src/adapters/redis/connection/redis-probe.js';
import { RedisGenerations } from '../../../../src/adapters/redis/generations/redis-generations.js';
import { itPassesOnRedis, processes } from '../../../contracts/redis-contracts.js';
import { ConnectedRedis } from '../../../support/redis/connected-redis.js';
import { sharedRedis } from '../../../support/redis/test-redis.js';

const PASSWORD = 'word';
const TIMEOUT_MS = 5_000;
const PAGE = readFileSync('docs/operations.md', 'utf8');

type Program = keyof typeof COMMANDS_OF;

/** The words after ACL SETUSER in the only line of the documentation that begins with `start`. */
function documented(start: string): readonly string[] {
  const lines = [...PAGE.matchAll(/^ACL SETUSER (.*)$/gm)].map(([, words = '']) => words);
  const [line = '', ...others] = lines.filter((words) => words.startsWith(start));
  expect(others).to.deep.equal([]);
  return line.replace('PASSWORD', PASSWORD).split(' ');
}

const commandsIn = (words: readonly string[]) =>
  words.filter((word) => word.startsWith('+')).map((word) => word.slice(1));

describe('A user of Redis with the documented rights', () => {
  const redis = sharedRedis();
  let admin: Redis;
  const urlOf = (program: Program) => `redis://blog-read-${program}:${PASSWORD}@127.0.0.1:${redis().port}`;
  const setUser = (...words: readonly string[]) => admin.call('ACL', 'SETUSER', ...words);
  const connectedAs = async (program: Program) => {
    const connected = await ConnectedRedis.connect([urlOf(program)], TIMEOUT_MS);
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
    describe(`for ${program}`, () => {
      it('has the rights that the doctor checks, and no others', async () => {
        const words = documented(`blog-read-${program} on`);
        expect(commandsIn(words).toSorted()).to.deep.equal(COMMANDS_OF[program].toSorted());
        expect(words).to.include(KEYS).and.to.include('resetkeys').and.to.include('-@all');
        const cluster = documented(`blog-read-${program} +`);
        expect(commandsIn(cluster).toSorted()).to.deep.equal(COMMANDS_ON_CLUSTER.toSorted());
        const user = new Redis(urlOf(program));
        for (const [name, ...args] of [
          ['keys', '*'],
          ['flushall'],
          ['config', 'get', '*'],
          ['get', 'other'],
        ]) {
          const refused = await user.call(name as string, ...args).catch((error: Error) => error.message);
          expect(refused).to.match(/^NOPERM/);
        }
        user.disconnect();
      });

      for (const right of [...COMMANDS_OF[program].map((command) => `+${command}`), KEYS]) {
        it(`lacks ${right} after it was revoked, and the doctor reports it`, async () => {
          if (right === KEYS) await setUser(`blog-read-${program}`, 'resetkeys', '~other:*');
          else await setUser(`blog-read-${program}`, right.replace('+', '-'));
          const probe = new RedisProbe([urlOf(program)]);
          const rights = await probe.rights(COMMANDS_OF[program]);
          probe.close();
          expect(rights).to.deep.equal([{ user: `blog-read-${program}`, missing: [right], unknown: [] }]);
        });
      }
    });
  }

  it('is checked without leaving a key', async () => {
    await admin.flushall();
    const probe = new RedisProbe([urlOf('api')]);
    expect(await probe.rights(COMMANDS_OF.api)).to.deep.equal([
      { user: 'blog-read-api', missing: [], unknown: [] },
    ]);
    probe.close();
    expect(await admin.keys('*')).to.deep.equal([]);
  });

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
});
