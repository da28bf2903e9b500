import { expect } from 'chai';
import pg from 'pg';
import { Dashboard, type Tenant } from '../support/dashboard.js';
import { eventually } from '../support/eventually.js';
import { FaultyNetwork, type NetworkFault } from '../support/faulty-network.js';
import { RunningProgram } from '../support/program.js';
import { addressOf } from '../support/running-programs.js';
import { sendRequest } from '../support/send-request.js';
import { LONGEST_FAILURE_MS, statusInTime } from '../support/status-in-time.js';
import { sharedRedis } from '../support/test-redis.js';

const RECOVERY_MS = 5_000;
const WARM = '/api/v1/blogs';

type Place = 'Redis' | 'the read tables' | 'Redis and the read tables';
type Fault = NetworkFault | 'every table locked';

/** The read tables first: once Redis was away, all wait for them until they have said what changed meanwhile. */
const ALL: readonly (readonly [Place, Fault])[] = (
  ['the read tables', 'Redis', 'Redis and the read tables'] as const
).flatMap((place) => {
  const faults: Fault[] = ['paused', 'refused', 'reset', 'half-open', 'delayed', 'byte by byte'];
  if (place === 'the read tables') faults.push('every table locked');
  return faults.map((fault) => [place, fault] as const);
});
/** What other tests have not in some other form. */
const SOME: readonly string[] = [
  'Redis half-open',
  'the read tables half-open',
  'the read tables every table locked',
  'Redis and the read tables reset',
];
/** These cost time, and no answer. */
const SLOW: readonly Fault[] = ['delayed', 'byte by byte'];

describe('A network between the API and its servers', function () {
  this.timeout(60_000);
  const redis = sharedRedis();
  let dashboard: Dashboard;
  let toRedis: FaultyNetwork;
  let toReadTables: FaultyNetwork;
  let api: RunningProgram;
  let address: string;
  let tenant: Tenant;
  let asked = 0;

  before(async () => {
    dashboard = await Dashboard.create(ALL.length);
    toRedis = await FaultyNetwork.before(redis().port);
    toReadTables = await FaultyNetwork.before(Number(new URL(dashboard.readDatabaseUrl).port));
    api = new RunningProgram(['api'], {
      READ_DATABASE_URL: toReadTables.url(dashboard.readDatabaseUrl),
      REDIS_URL: toRedis.url(redis().url),
      RATE_LIMIT_MAX: '10000',
      PORT: '0',
      HOST: '127.0.0.1',
    });
    address = await addressOf(api);
  });

  after(async () => {
    expect(await api?.end('SIGTERM')).to.equal(0);
    await Promise.all([toRedis?.stop(), toReadTables?.stop()]);
  });

  const get = (path: string) => sendRequest(address, path, { 'X-API-Key': tenant.key });
  /** What nobody has asked for before. */
  const getCold = () => get(`/api/v1/blogs?search=${++asked}`);

  const said = (message: string) => api.output.split(message).length - 1;

  /** Answers what ends it. */
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
    return async () => void (await Promise.all(networks.map((network) => network.mend())));
  }

  for (const [place, fault] of ALL) {
    if (process.env.TEST_FAULTS !== 'all' && !SOME.includes(`${place} ${fault}`)) continue;

    it(`${fault} on the way to ${place} fails no more than it has to, in ${LONGEST_FAILURE_MS} ms at most, and is over by itself`, async () => {
      tenant = dashboard.tenant();
      expect((await get(WARM)).status).to.equal(200);
      expect((await get(WARM)).headers['x-cache']).to.equal('HIT');

      const end = await begin(place, fault);
      try {
        for (let n = 0; n < 3; n++) {
          const warm = await statusInTime(get(WARM));
          // On a busy machine Redis may look gone at any time.
          const wasRedisThere = said('Redis is away') === 0;
          if (wasRedisThere || place === 'Redis' || SLOW.includes(fault)) expect(warm).to.equal(200);
        }
        const cold = await Promise.all(Array.from({ length: 15 }, () => statusInTime(getCold())));
        const isFailing = place !== 'Redis' && !SLOW.includes(fault);
        expect([...new Set(cold)]).to.deep.equal([isFailing ? 500 : 200]);
      } finally {
        await end();
      }
      await eventually(async () => {
        const answers = await Promise.all([get(WARM), ...Array.from({ length: 15 }, getCold)]);
        expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
        expect(said('Redis is back')).to.equal(said('Redis is away'));
      }, RECOVERY_MS);
    });
  }
});
