import { expect } from 'chai';
import { Redis } from 'ioredis';
import { RedisProbe } from '../../../../src/adapters/redis/connection/redis-probe.js';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { ConnectedRedis } from '../../../support/redis/connected-redis.js';
import { MASTER, sharedSentinels } from '../../../support/redis/redis-sentinels.js';
import { RedisServer } from '../../../support/redis/redis-server.js';
import { PASSWORD, securedBy } from '../../../support/redis/secured.js';
import { redisForTests, sharedRedis } from '../../../support/redis/test-redis.js';

const ALL_SLOTS = [0, 16_383];

async function reply({ breaker }: ConnectedRedis): Promise<string | null> {
  return breaker.attempt('name', async (client) => String(await client.set('name', '', 'PX', 1_000)));
}

/** The reason that the circuit breaker, the log and the doctor report. */
async function expectReason(url: string, reason: RegExp): Promise<void> {
  const redis = await ConnectedRedis.connect([url]);
  const probe = new RedisProbe([url]);
  try {
    // Two failures open the circuit breaker, and none of the attempts to connect succeeds.
    for (let n = 0; n < 20; n++) expect(await reply(redis)).to.equal(null);
    expect(redis.breaker.isOpen).to.equal(true);
    expect(redis.breaker.reason).to.match(reason);
    const warning = redis.log.lines.find(({ level }) => level === 'warn');
    expect(String(warning?.details?.reason)).to.match(reason);
    const refused = await probe.facts().catch((error: Error) => error.message);
    expect(refused).to.match(reason);
  } finally {
    await probe.close();
    await redis.close();
  }
}

describe('A Redis that does not match REDIS_URL', () => {
  const redis = sharedRedis();

  before(async () => {
    const admin = new Redis(redis().url);
    await admin.call('ACL', 'SETUSER', 'limited', 'on', '>word', '~*', '+@all', '-select');
    admin.disconnect();
  });

  it('is unavailable if it has no database of this number, and database 0 is not used instead', () =>
    expectReason(`${redis().url}/99`, /^ERR DB index is out of range$/));

  it('is unavailable if its user may not select a database, and database 0 is not used instead', () =>
    expectReason(`redis://limited:word@127.0.0.1:${redis().port}/2`, /^NOPERM .*select/));

  afterEach(async () => {
    const admin = new Redis(redis().url);
    const keys = await admin.dbsize();
    admin.disconnect();
    expect(keys).to.equal(0);
  });

  it('is reported to refuse the password, which is not shown', () =>
    expectReason(`redis://limited:else@127.0.0.1:${redis().port}`, /^WRONGPASS (?!.*else)/));
});

describe('A Redis with a renamed AUTH command', () => {
  const redis = sharedRedis({
    settings: { 'rename-command AUTH': 'login', 'rename-command HELLO': 'greet' },
  });

  it('is reported without the password that its error quotes', () =>
    expectReason(
      `redis://limited:secret@127.0.0.1:${redis().port}`,
      /^ERR unknown command '?AUTH'?(?!.*secret)/i,
    ));
});

describe('A Redis with a certificate that is not trusted', () => {
  const redis = sharedRedis(securedBy('certificate.pem').servers);

  it('is reported without the password', () =>
    expectReason(
      `rediss://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${redis().port}`,
      /self-signed certificate(?!.*pass)/,
    ));
});

describe('Sentinels that have no master of this name', () => {
  const sentinels = sharedSentinels();

  it('are reported with their error', () =>
    expectReason(sentinels().url.replace(MASTER, 'nobody'), /No such master/));
});

describe('A Redis Cluster with one master', () => {
  let server: RedisServer;

  before(async function () {
    const machine = await redisForTests(this);
    server = await RedisServer.start(machine, {
      settings: {
        'cluster-enabled': 'yes',
        'cluster-port': await machine.port(),
        'cluster-announce-ip': '127.0.0.1',
      },
    });
    const admin = new Redis(server.url);
    await admin.call('CLUSTER', 'ADDSLOTSRANGE', ...ALL_SLOTS);
    await eventually(async () => expect(await admin.cluster('INFO')).to.contain('cluster_state:ok'));
    admin.disconnect();
  });

  after(() => server?.stop());

  it('is used if its address is given twice', async () => {
    const redis = await ConnectedRedis.connect([server.url, server.url]);
    await eventually(async () => expect(await reply(redis)).to.equal('OK'));
    await redis.close();
  });
});
