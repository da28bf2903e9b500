import { expect } from 'chai';
import pg from 'pg';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard, type Tenant } from '../../support/dashboards/dashboard.js';
import { type ReceivedAnswer, sendRequest } from '../../support/http/send-request.js';
import { FaultyNetwork, type NetworkFault } from '../../support/network/faulty-network.js';
import { RunningProgram } from '../../support/programs/program.js';
import { addressOf } from '../../support/programs/running-programs.js';
import { sharedRedis } from '../../support/redis/test-redis.js';

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

const WARM = '/api/v1/blogs';
const COLD_AT_ONCE = 15;

/**
 * An API whose servers fail, and the answers of its callers: warm ones are in its cache, cold ones were not requested
 * before.
 */
class ApiInOutage {
  #tenant: Tenant | null = null;
  #asked = 0;

  private constructor(
    private readonly api: RunningProgram,
    private readonly address: string,
  ) {}

  static async start(readDatabaseUrl: string, redisUrl: string): Promise<ApiInOutage> {
    const api = new RunningProgram(['api'], {
      READ_DATABASE_URL: readDatabaseUrl,
      REDIS_URL: redisUrl,
      RATE_LIMIT_MAX: '10000',
      PORT: '0',
      HOST: '127.0.0.1',
    });
    return new ApiInOutage(api, await addressOf(api));
  }

  async warmUp(tenant: Tenant): Promise<void> {
    this.#tenant = tenant;
    expect((await this.#get(WARM)).status).to.equal(200);
    expect((await this.#get(WARM)).headers['x-cache']).to.equal('HIT');
  }

  warm(): Promise<number> {
    return statusOf(this.#get(WARM));
  }

  cold(): Promise<readonly number[]> {
    const ask = () => statusOf(this.#get(`${WARM}?search=${++this.#asked}`));
    return Promise.all(Array.from({ length: COLD_AT_ONCE }, ask));
  }

  /** On a busy machine Redis may seem unavailable at any time. */
  get hasEverMissedRedis(): boolean {
    return this.#timesLogged('Redis is unavailable') > 0;
  }

  /** Expects that the API soon recovers without help. */
  async recovers(): Promise<void> {
    await eventually(async () => {
      const [warm, cold] = await Promise.all([this.warm(), this.cold()]);
      expect(new Set([warm, ...cold])).to.deep.equal(new Set([200]));
      expect(this.#timesLogged('Redis is available again')).to.equal(
        this.#timesLogged('Redis is unavailable'),
      );
    });
  }

  async end(): Promise<void> {
    expect(await this.api.end('SIGTERM')).to.equal(0);
  }

  #get(path: string): Promise<ReceivedAnswer> {
    return sendRequest(this.address, path, { 'X-API-Key': this.#tenant?.key ?? '' });
  }

  #timesLogged(message: string): number {
    return this.api.output.split(message).length - 1;
  }
}

/** Expects that a failure reveals nothing. */
async function statusOf(answer: Promise<ReceivedAnswer>): Promise<number> {
  const { status, text } = await answer;
  if (status !== 200) expect(text).to.equal('{"error":{"message":"Internal server error","status":500}}');
  return status;
}

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
