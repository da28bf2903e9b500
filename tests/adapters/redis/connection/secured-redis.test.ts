import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { Dashboard } from '../../../support/dashboards/dashboard.js';
import { shown, TwoApis } from '../../../support/http/two-apis.js';
import { sharedRedis } from '../../../support/redis/test-redis.js';

const PASSWORD = 'pass/word?with:signs@and#more';
const DATABASE = 3;
const CERTIFICATE = fileURLToPath(new URL('../../../support/network/tls/certificate.pem', import.meta.url));
const PEM = readFileSync(CERTIFICATE, 'utf8');
const KEY = readFileSync(new URL('../../../support/network/tls/key.pem', import.meta.url), 'utf8');

describe('A Redis with TLS and a password', () => {
  const redis = sharedRedis({
    prepare: `printf '%s' '${PEM}' > certificate.pem; printf '%s' '${KEY}' > key.pem`,
    settings: {
      requirepass: PASSWORD,
      'tls-cert-file': 'certificate.pem',
      'tls-key-file': 'key.pem',
      'tls-auth-clients': 'no',
    },
    tls: true,
  });
  let dashboard: Dashboard;
  let apis: TwoApis | null = null;

  before(async () => {
    dashboard = await Dashboard.create(3);
  });

  afterEach(async () => {
    await apis?.stop();
    apis = null;
  });

  const urlWith = (password: string) =>
    `rediss://:${encodeURIComponent(password)}@127.0.0.1:${redis().port}/${DATABASE}`;
  const start = (password: string, environment: Record<string, string> = {}) =>
    TwoApis.start({
      READ_DATABASE_URL: dashboard.readDatabaseUrl,
      REDIS_URL: urlWith(password),
      NODE_EXTRA_CA_CERTS: CERTIFICATE,
      LOG_LEVEL: 'debug',
      ...environment,
    });

  it('is reached with REDIS_URL only, in the database that it names', async () => {
    apis = await start(PASSWORD);
    const tenant = dashboard.tenant();
    expect(shown(await apis.get('one', tenant))).to.equal('MISS: First title');
    expect(shown(await apis.get('other', tenant))).to.equal('HIT: First title');
    const client = new Redis({ port: redis().port, password: PASSWORD, db: DATABASE, tls: { ca: PEM } });
    expect(await client.keys('blog-read:*')).not.to.deep.equal([]);
    expect(await client.info('keyspace')).not.to.match(/db0/);
    client.disconnect();
    expect(apis.count(PASSWORD)).to.deep.equal({ one: 0, other: 0 });
    expect(apis.count('Redis is unavailable')).to.deep.equal({ one: 0, other: 0 });
  });

  const troubles = {
    'that has another password': { password: 'not/the?password', environment: {} },
    'whose certificate is not trusted': { password: PASSWORD, environment: { NODE_EXTRA_CA_CERTS: '' } },
  };
  for (const [trouble, { password, environment }] of Object.entries(troubles)) {
    it(`${trouble} is not used, which is logged once and without the password`, async () => {
      const running = await start(password, environment);
      apis = running;
      const tenant = dashboard.tenant();
      const answerBoth = async () => {
        for (const { status } of await running.getBoth(tenant)) expect(status).to.equal(200);
      };
      // The first query may take longer than its timeout.
      await eventually(answerBoth);
      for (let n = 0; n < 5; n++) await answerBoth();
      expect(await running.shareLimitOf(tenant)).to.equal(false);
      await eventually(() => expect(running.count('Redis connection').one).to.be.greaterThan(3));
      expect(running.count('Redis is unavailable')).to.deep.equal({ one: 1, other: 1 });
      for (const secret of [password, encodeURIComponent(password)]) {
        expect(running.count(secret)).to.deep.equal({ one: 0, other: 0 });
      }
    });
  }
});
