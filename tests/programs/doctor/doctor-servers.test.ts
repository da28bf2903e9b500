import { expect } from 'chai';
import { adviceOnRedis } from '../../../src/programs/admin/checks.js';
import { TcpProxy } from '../../support/network/tcp-proxy.js';
import { complaints, findings } from '../../support/programs/doctor-findings.js';
import { runProgram } from '../../support/programs/program.js';
import { plainClient } from '../../support/redis/plain-client.js';
import { sharedRedis } from '../../support/redis/test-redis.js';
import { GrantedRoles } from '../granted-roles.js';

const MEMORY = { maxmemory: '64mb', 'maxmemory-policy': 'allkeys-lru' };

describe('npm run doctor, for servers and networks,', () => {
  const redis = sharedRedis({ settings: MEMORY });
  const client = plainClient(() => redis().url);
  let granted: GrantedRoles;
  let readDatabaseUrl: string;
  let postgresPort: number;

  before(async () => {
    granted = await GrantedRoles.create(1);
    readDatabaseUrl = granted.api.urlOf(granted.dashboard.readDatabaseUrl);
    postgresPort = Number(new URL(readDatabaseUrl).port);
  });
  after(() => granted?.drop());

  const asApi = () => ({
    readDatabaseUrl,
    writeDatabaseUrl: null,
    redisUrls: [redis().url],
    redisCacheUrls: null,
  });
  const toRedis = (network: { url(direct: string): string }) => [network.url(redis().url)];

  it('finds no problem, and lists its checks', async () => {
    const found = await findings(asApi());
    expect(found.filter(({ outcome }) => outcome !== 'ok')).to.eql([]);
    expect(found.map(({ check }) => check).filter((check) => check.startsWith('redis'))).to.eql([
      'redisServer',
      'redisClock',
      'redis',
      'redisCache',
    ]);
  });

  it('reports that the clock of this machine differs by a second or more', async () => {
    const { now } = Date;
    const foundAt = async (milliseconds: number) => {
      Date.now = () => now() + milliseconds;
      try {
        return await complaints(asApi());
      } finally {
        Date.now = now;
      }
    };
    for (const [milliseconds, difference] of [
      [-120_000, /^this machine is 1(19|20)\.\d s behind, /],
      [5_000, /^this machine is [45]\.\d s ahead, /],
    ] as const) {
      const found = (await foundAt(milliseconds)).map((line) => line.split(': '));
      expect(found.map(([code]) => code)).to.eql(['failure readClock', 'failure redisClock']);
      for (const [, message] of found) expect(message).to.match(difference);
    }
    expect(await foundAt(-500)).to.eql([]);
  });

  it('reports servers that are too old', async () => {
    const { rows } = await granted.readOwner.raw('show server_version');
    const postgresVersion: string = rows[0].server_version;
    const [version = ''] = /redis_version:\d/.exec(await client().info('server')) ?? [];
    const olderPostgres = (await TcpProxy.before(postgresPort)).replaceInReplies(
      postgresVersion,
      `13${postgresVersion.slice(2)}`,
    );
    const olderRedis = (await TcpProxy.before(redis().port)).replaceInReplies(version, 'redis_version:5');
    const found = await complaints({
      ...asApi(),
      readDatabaseUrl: olderPostgres.url(readDatabaseUrl),
      redisUrls: toRedis(olderRedis),
    });
    olderPostgres.stop();
    olderRedis.stop();
    expect(found).to.have.length(2);
    expect(found[0]).to.match(/^failure readServer.tooOld: PostgreSQL 13/);
    expect(found[1]).to.match(/^failure redisServer.tooOld: Redis 5\./);
  });

  describe('with Redis', () => {
    afterEach(async () => {
      for (const [name, value] of Object.entries(MEMORY)) await client().config('SET', name, value);
      await client().replicaof('NO', 'ONE');
    });

    it('reports policies that refuse writes or evict request logs, and a memory without a limit', async () => {
      for (const [policy, cause] of [
        ['noeviction', 'refuses'],
        ['volatile-ttl', 'evicts'],
        ['allkeys-random', 'evicts'],
      ] as const) {
        await client().config('SET', 'maxmemory-policy', policy);
        const [complaint] = await complaints(asApi());
        expect(complaint).to.match(new RegExp(`^warning redisServer.${cause}: ${policy}: `));
      }
      await client().config('SET', 'maxmemory', '0');
      expect(await complaints(asApi())).to.eql([
        'warning redisServer.unlimited: no maxmemory: Redis may use all memory of its machine',
      ]);
    });

    it('accepts each policy that evicts the least used keys', async () => {
      for (const policy of ['allkeys-lfu', 'volatile-lru', 'volatile-lfu']) {
        await client().config('SET', 'maxmemory-policy', policy);
        expect(await complaints(asApi()), policy).to.eql([]);
      }
    });

    it('accepts no eviction if answers are in another Redis, and any eviction in that one', async () => {
      const apart = () => ({ ...asApi(), redisCacheUrls: [redis().url] });
      const memory = async (policy: string) => {
        await client().config('SET', 'maxmemory-policy', policy);
        return complaints(apart());
      };
      expect(await memory('allkeys-random')).to.eql([
        'warning redisServer.evicts: allkeys-random: may evict the request logs of keys, so their windows start again',
      ]);
      expect(await memory('noeviction')).to.eql([
        'warning redisCacheServer.refuses: noeviction: a full Redis refuses writes, and counts as unavailable',
      ]);
    });

    it('reports a right that requests need', async () => {
      await client().acl('SETUSER', 'default', '-pexpire');
      const found = (await findings(asApi())).filter(({ outcome }) => outcome !== 'ok');
      await client().acl('SETUSER', 'default', '+pexpire');
      expect(found.map(({ code }) => code)).to.eql(['redis.unread']);
      expect(found[0]?.message).to.match(/NOPERM|can't run/);
      expect(found[0]?.advice).to.equal(adviceOnRedis('REDIS_URL'));
    });

    it('is checked as well where WRITE_DATABASE_URL is set: its rights, and whether it answers', async () => {
      const { writeDatabaseUrl } = granted.dashboard;
      const ofRedis = async (url: string) =>
        (await complaints({ ...asApi(), writeDatabaseUrl, redisUrls: [url] })).filter((line) =>
          line.includes(' redis'),
        );
      await client().acl('SETUSER', 'default', '-pexpire');
      const refused = await ofRedis(redis().url);
      await client().acl('SETUSER', 'default', '+pexpire');
      expect(refused).to.have.length(1);
      expect(refused[0]).to.match(/^failure redis.unread: /);
      expect((await ofRedis('redis://127.0.0.1:1'))[0]).to.match(
        /^failure redisServer.unread: .*ECONNREFUSED/,
      );
    });

    it('reports a replica', async () => {
      await client().replicaof('127.0.0.1', 1);
      expect(await complaints(asApi())).to.eql([
        'failure redisServer.replica: a replica: it refuses writes, and counts as unavailable',
      ]);
    });
  });

  describe('over a network', () => {
    let redisNetwork: TcpProxy;
    let postgresNetwork: TcpProxy;

    beforeEach(async () => {
      redisNetwork = await TcpProxy.before(redis().port);
      postgresNetwork = await TcpProxy.before(postgresPort);
    });
    afterEach(() => Promise.all([redisNetwork.stop(), postgresNetwork.stop()]));

    const byNetwork = () => ({
      ...asApi(),
      readDatabaseUrl: postgresNetwork.url(readDatabaseUrl),
      redisUrls: toRedis(redisNetwork),
    });

    it('exits with 1 as a program, and does not hang with the servers', async () => {
      for (const network of [redisNetwork, postgresNetwork]) network.freeze();
      const { readDatabaseUrl: READ_DATABASE_URL, redisUrls } = byNetwork();
      const { code, output } = await runProgram(['doctor'], {
        READ_DATABASE_URL,
        REDIS_URL: redisUrls.join(),
      });
      expect(output).to.match(/^failure +readServer.tooSlow +no answer within 3000 ms$/m);
      expect(output).to.match(/^failure +redisServer.tooSlow +\S/m);
      expect(code).to.equal(1);
    });

    it('reports the one server that is unavailable, and checks the other', async () => {
      await postgresNetwork.cut();
      const found = await findings(byNetwork());
      expect(found.map(({ check, outcome }) => `${outcome} ${check}`).slice(0, 9)).to.eql([
        'failure readServer',
        'warning readClock',
        'warning readDatabase',
        'warning migrations',
        'warning rights',
        'warning syncAge',
        'ok redisServer',
        'ok redisClock',
        'ok redis',
      ]);
      expect(found[2]).to.include({ message: 'not checked: see `readServer`', advice: null });
    });
  });

  it('prints as a program a line with advice for each check, and exits with 0 if nothing is broken', async () => {
    const { code, output } = await runProgram(['doctor'], { READ_DATABASE_URL: readDatabaseUrl });
    expect(output).to.match(/^ok +migrations +up to date$/m);
    expect(output).to.match(/^warning +redis.notSet +REDIS_URL is not set.*\n +→ set it if several/m);
    expect(code).to.equal(0);
  });
});
