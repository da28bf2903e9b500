import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { connectRedis } from '../../../../src/adapters/redis/connection/connect-redis.js';
import { namePrefix, requestLogName } from '../../../../src/adapters/redis/connection/key-names.js';
import {
  COMMANDS_OF,
  COMMANDS_ON_CLUSTER,
  KEYS,
  RedisProbe,
} from '../../../../src/adapters/redis/connection/redis-probe.js';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { itPassesOnRedis, processes } from '../../../contracts/redis-contracts.js';
import { Dashboard } from '../../../support/dashboards/dashboard.js';
import { shown, TwoApis } from '../../../support/http/two-apis.js';
import { RunningProgram } from '../../../support/programs/program.js';
import { ConnectedRedis } from '../../../support/redis/connected-redis.js';
import { requestLogOn } from '../../../support/redis/request-log-on.js';
import { sharedRedis } from '../../../support/redis/test-redis.js';

const PASSWORD = 'word';
const TIMEOUT_MS = 5_000;
const KEY = { id: 'key', organizationId: 'org' };
const ONE_REQUEST = { limit: 1, lengthMs: 600_000 };
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
    before(() => admin.config('RESETSTAT'));
    itPassesOnRedis(processes(() => connectRedis([urlOf('api')])));
  });

  describe('after these contract suites,', () => {
    it('has used each of its rights', async () => {
      const { breaker, metrics } = await ConnectedRedis.connect([urlOf('api')], TIMEOUT_MS);
      breaker.setInstallation('contracts');
      expect(await breaker.answers()).to.equal(true);
      // Each is the only request of its process, whose window would refuse a second one without Redis.
      const record = () => requestLogOn(breaker, { metrics }).record(KEY, ONE_REQUEST);
      await record();
      expect((await record()).accepted).to.equal(false);
      await admin.script('FLUSH');
      await admin.del(`${namePrefix('contracts')}${requestLogName(KEY.organizationId, KEY.id)}`);
      await admin.call('CLIENT', 'KILL', 'TYPE', 'normal');
      await eventually(async () => {
        await record();
        const used = [...(await admin.info('commandstats')).matchAll(/^cmdstat_(\S+?):calls=[1-9]/gm)];
        const names = used.map(([, command]) => command);
        expect(COMMANDS_OF.api.filter((command) => !names.includes(command))).to.deep.equal([]);
      });
      await breaker.close();
    });
  });

  it('has enough rights for the programs', async () => {
    const dashboard = await Dashboard.create(2);
    const environment = { READ_DATABASE_URL: dashboard.readDatabaseUrl, REDIS_URL: urlOf('api') };
    const apis = await TwoApis.start(environment);
    const worker = new RunningProgram(['sync'], {
      READ_DATABASE_URL: dashboard.readDatabaseUrl,
      WRITE_DATABASE_URL: dashboard.writeDatabaseUrl,
      REDIS_URL: urlOf('sync'),
      ADMIN_PORT: '0',
    });
    try {
      await worker.printed(/this worker leads/);
      const tenant = dashboard.tenant();
      await eventually(async () => expect(shown(await apis.get('one', tenant))).to.equal('HIT: First title'));
      await dashboard.rename(tenant, 'Second title');
      await eventually(async () => {
        for (const answer of await apis.getBoth(tenant)) expect(answer.text).to.contain('Second title');
      });
      expect(await apis.shareLimitOf(dashboard.tenant())).to.equal(true);
    } finally {
      await Promise.all([apis.stop(), worker.end('SIGTERM')]);
    }
    expect(await refusals()).to.deep.equal([]);
    expect(apis.count('Redis is unavailable')).to.deep.equal({ one: 0, other: 0 });
  });
});
