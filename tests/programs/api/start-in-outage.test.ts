import { expect } from 'chai';
import { databaseName } from '../../../src/adapters/postgres/database-name.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { FaultyNetwork } from '../../support/network/faulty-network.js';
import { createReadTables } from '../../support/postgres/migrated-databases.js';
import { askOperators } from '../../support/programs/ask-operators.js';
import { RunningProgram } from '../../support/programs/program.js';
import { adminAddressOf, environmentOf } from '../../support/programs/running-programs.js';
import { sharedRedis } from '../../support/redis/test-redis.js';

describe('An API that starts while the primary is unavailable', () => {
  const redis = sharedRedis();
  let url: string;
  let toPrimary: FaultyNetwork;
  let api: RunningProgram;

  before(async () => {
    url = await createReadTables();
  });
  beforeEach(async () => {
    toPrimary = await FaultyNetwork.before(Number(new URL(url).port));
  });
  afterEach(async () => {
    await api?.end('SIGKILL');
    await toPrimary.stop();
  });

  for (const fault of ['refused', 'paused'] as const) {
    it(`reports why it uses neither replicas nor Redis, and uses them later: ${fault}`, async () => {
      await toPrimary.break(fault);
      api = new RunningProgram(['api'], {
        ...environmentOf({ writeDatabaseUrl: '', readDatabaseUrl: toPrimary.url(url) }),
        READ_REPLICA_URLS: url,
        REDIS_URL: redis().url,
        ADMIN_PORT: '0',
      });
      const adminAddress = await adminAddressOf(api);
      const checks = async () => JSON.parse((await askOperators(adminAddress, '/readyz')).text).checks;
      expect(await checks()).to.deep.include({
        readReplicas: {
          status: 'degraded',
          reason: `1 of 1 excluded: ${databaseName(url)} (READ_DATABASE_URL, with which it has to be compared, has not answered yet)`,
        },
        redis: {
          status: 'degraded',
          reason:
            'Redis is not used before the read tables answer: their identity is part of each name in Redis',
        },
      });

      await toPrimary.restore();
      const ok = { status: 'ok' };
      await eventually(async () =>
        expect(await checks()).to.deep.include({ readReplicas: ok, redis: ok, redisCache: ok }),
      );
    });
  }
});
