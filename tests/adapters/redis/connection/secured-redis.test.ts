import { expect } from 'chai';
import { Redis } from 'ioredis';
import { Dashboard } from '../../../support/dashboards/dashboard.js';
import { sendRequest } from '../../../support/http/send-request.js';
import { RunningProgram } from '../../../support/programs/program.js';
import { addressOf, environmentOf } from '../../../support/programs/running-programs.js';
import { certificateAt, PASSWORD, securedBy } from '../../../support/redis/secured.js';
import { sharedRedis } from '../../../support/redis/test-redis.js';

const DATABASE = 3;

describe('A Redis with TLS and a password', () => {
  const { servers, connection } = securedBy('certificate.pem');
  const redis = sharedRedis(servers);

  it('is reached with REDIS_URL only, in the database that it names', async () => {
    const dashboard = await Dashboard.create(1);
    const api = new RunningProgram(['api'], {
      ...environmentOf(dashboard),
      REDIS_URL: `rediss://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${redis().port}/${DATABASE}`,
      NODE_EXTRA_CA_CERTS: certificateAt('certificate.pem'),
      LOG_LEVEL: 'debug',
    });
    try {
      const headers = { 'X-API-Key': dashboard.tenant().key };
      expect((await sendRequest(await addressOf(api), '/api/v1/blogs', headers)).status).to.equal(200);
      const client = new Redis({ port: redis().port, db: DATABASE, ...connection });
      expect(await client.keys('blog-read:*')).not.to.deep.equal([]);
      expect(await client.info('keyspace')).not.to.match(/db0/);
      client.disconnect();
    } finally {
      await api.end('SIGKILL');
    }
    for (const text of [PASSWORD, encodeURIComponent(PASSWORD), 'Redis is unavailable'])
      expect(api.output).not.to.contain(text);
  });
});
