import { expect } from 'chai';
import pg from 'pg';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { FaultyNetwork, type NetworkFault } from '../../support/network/faulty-network.js';
import { sharedRedis } from '../../support/redis/test-redis.js';
import { ApiInOutage } from './api-in-outage.js';

type Place = 'Redis' | 'the read tables' | 'Redis and the read tables';
type Fault = NetworkFault | 'every table locked';

/**
 * The read tables first: after an outage of Redis, everything waits until the read tables report what changed in the
 * meantime.
 */
const ALL: readonly (readonly [Place, Fault])[] = (
  ['the read tables', 'Redis', 'Redis and the read tables'] as const
).flatMap((place) => {
  const faults: Fault[] = ['paused', 'refused', 'reset', 'half-open', 'delayed', 'byte by byte'];
  if (place === 'the read tables') faults.push('every table locked');
  return faults.map((fault) => [place, fault] as const);
});
/** The cases that no other test has in another form. */
const SOME: readonly string[] = [
  'Redis half-open',
  'the read tables half-open',
  'the read tables every table locked',
  'Redis and the read tables reset',
];
/** These faults delay answers, but prevent none. */
const SLOW: readonly Fault[] = ['delayed', 'byte by byte'];

describe('A network between the API and its servers', () => {
  const redis = sharedRedis();
  let dashboard: Dashboard;
  let toRedis: FaultyNetwork;
  let toReadTables: FaultyNetwork;
  let api: ApiInOutage;

  before(async () => {
    dashboard = await Dashboard.create(ALL.length);
    toRedis = await FaultyNetwork.before(redis().port);
    toReadTables = await FaultyNetwork.before(Number(new URL(dashboard.readDatabaseUrl).port));
    api = await ApiInOutage.start(toReadTables.url(dashboard.readDatabaseUrl), toRedis.url(redis().url));
  });

  after(async () => {
    await api?.end();
    await Promise.all([toRedis?.stop(), toReadTables?.stop()]);
  });

  /** Returns the function that ends the fault. */
  async function begin(place: Place, fault: Fault): Promise<() => Promise<void>> {
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
    await Promise.all(networks.map((network) => network.break(fault)));
    return async () => void (await Promise.all(networks.map((network) => network.restore())));
  }

  for (const [place, fault] of ALL) {
    if (process.env.TEST_FAULTS !== 'all' && !SOME.includes(`${place} ${fault}`)) continue;

    it(`(${fault}, to ${place}) causes only unavoidable failures, after which the API recovers without help`, async () => {
      await api.warmUp(dashboard.tenant());

      const end = await begin(place, fault);
      try {
        for (let n = 0; n < 3; n++) {
          const warm = await api.warm();
          if (!api.hasEverMissedRedis || place === 'Redis' || SLOW.includes(fault))
            expect(warm).to.equal(200);
        }
        const cold = await api.cold();
        const isFailing = place !== 'Redis' && !SLOW.includes(fault);
        expect([...new Set(cold)]).to.deep.equal([isFailing ? 500 : 200]);
      } finally {
        await end();
      }
      await api.recovers();
    });
  }
});
