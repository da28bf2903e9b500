import { expect } from 'chai';
import pg from 'pg';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard, type Tenant } from '../../support/dashboards/dashboard.js';
import type { ReceivedAnswer } from '../../support/http/send-request.js';
import { TcpProxy } from '../../support/network/tcp-proxy.js';
import { sharedRedis } from '../../support/redis/test-redis.js';
import { shown, TwoApis } from '../support/two-apis.js';

const BREAK = { paused: 'freeze', refused: 'cut', reset: 'reset', delayed: 'delay' } as const;

type Place = 'Redis' | 'the read tables' | 'Redis and the read tables';
type Fault = keyof typeof BREAK | 'every table locked';

const FAULTS: readonly (readonly [Place, Fault])[] = [
  ['the read tables', 'paused'],
  ['the read tables', 'refused'],
  ['the read tables', 'reset'],
  ['the read tables', 'delayed'],
  ['the read tables', 'every table locked'],
  ['Redis', 'reset'],
  ['Redis', 'delayed'],
  ['Redis and the read tables', 'reset'],
  ['Redis and the read tables', 'paused'],
];
const COLD_AT_ONCE = 15;
const FAILURE = '{"error":{"message":"Internal server error","status":500}}';

describe('A network between APIs and their servers', () => {
  const redis = sharedRedis();
  let dashboard: Dashboard;
  let toRedis: TcpProxy;
  let toReadTables: TcpProxy;
  let apis: TwoApis;
  let tenant: Tenant;
  let asked = 0;

  before(async () => {
    dashboard = await Dashboard.create(FAULTS.length + 1);
    toRedis = await TcpProxy.before(redis().port);
    toReadTables = await TcpProxy.before(Number(new URL(dashboard.readDatabaseUrl).port));
    apis = await TwoApis.start({
      READ_DATABASE_URL: toReadTables.url(dashboard.readDatabaseUrl),
      REDIS_URL: toRedis.url(redis().url),
      RATE_LIMIT_MAX: '10000',
    });
  });
  after(async () => {
    await apis?.stop();
    await Promise.all([toRedis?.stop(), toReadTables?.stop()]);
  });
  beforeEach(async () => {
    tenant = dashboard.tenant();
    await apis.getBoth(tenant);
  });

  const warm = () => apis.getBoth(tenant);
  /** Answers that were not asked for before. */
  const cold = async () => {
    const answers = Array.from({ length: COLD_AT_ONCE }, () =>
      apis.getBoth(tenant, `/api/v1/blogs?search=${++asked}`),
    );
    return (await Promise.all(answers)).flat();
  };
  const expectAll = (answers: readonly ReceivedAnswer[], status: number) => {
    for (const answer of answers) {
      expect(answer.status).to.equal(status);
      // A failure reveals nothing.
      if (status === 500) expect(answer.text).to.equal(FAILURE);
    }
  };
  /** On a busy machine Redis may seem unavailable at any time. */
  const timesWithoutRedis = () => apis.count('Redis is unavailable');
  async function recover(): Promise<void> {
    await eventually(async () => {
      expectAll([...(await warm()), ...(await cold())], 200);
      expect(apis.count('Redis is available again')).to.deep.equal(timesWithoutRedis());
    });
  }

  /** Returns the function that ends the fault. */
  async function begin(place: Place, fault: Fault): Promise<() => Promise<unknown>> {
    if (fault === 'every table locked') {
      const other = new pg.Client(dashboard.readDatabaseUrl);
      await other.connect();
      await other.query(
        'begin; lock table content_read.blogs, content_read.api_keys in access exclusive mode',
      );
      return () => other.end();
    }
    const networks = [
      ...(place === 'the read tables' ? [] : [toRedis]),
      ...(place === 'Redis' ? [] : [toReadTables]),
    ];
    await Promise.all(networks.map((network) => network[BREAK[fault]]()));
    return () => Promise.all(networks.map((network) => network.restore()));
  }

  for (const [place, fault] of FAULTS) {
    it(`(${fault}, to ${place}) causes only unavoidable failures, after which the APIs recover without help`, async () => {
      const end = await begin(place, fault);
      try {
        const isFailing = place !== 'Redis' && fault !== 'delayed';
        for (let n = 0; n < 3; n++) {
          const answers = await warm();
          expectAll(answers, 200);
          for (const answer of answers) expect(shown(answer)).to.match(/: First title$/);
        }
        expectAll(await cold(), isFailing ? 500 : 200);
      } finally {
        await end();
      }
      await recover();
    });
  }
});
