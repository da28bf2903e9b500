import { expect } from 'chai';
import { Dashboard, type Tenant } from '../support/dashboard.js';
import { eventually } from '../support/eventually.js';
import { PostgresServer } from '../support/postgres-server.js';
import { RunningProgram } from '../support/program.js';
import { addressOf } from '../support/running-programs.js';
import { sendRequest } from '../support/send-request.js';
import { LONGEST_FAILURE_MS, statusInTime } from '../support/status-in-time.js';
import { sharedRedis } from '../support/test-redis.js';

const RECOVERY_MS = 5_000;
const WARM = '/api/v1/blogs';
const COLD_AT_ONCE = 15;

const FAULTS = ['killed', 'frozen', 'restarted'] as const;
/** The read database first: once Redis was away, all wait for it until it has said what changed meanwhile. */
const PLACES = ['the read database', 'Redis', 'Redis and the read database'] as const;
type Fault = (typeof FAULTS)[number];
type Place = (typeof PLACES)[number];

const ALL = PLACES.flatMap((place) => FAULTS.map((fault) => [place, fault] as const));
/** What other tests have not in some other form. */
const SOME: readonly string[] = ['the read database killed', 'Redis and the read database restarted'];

interface Breakable {
  pause(): Promise<void>;
  resume(): Promise<void>;
  kill(): Promise<void>;
  shutDown(): Promise<void>;
  startAgain(): Promise<void>;
}

describe('The servers under the API', function () {
  this.timeout(60_000);
  const redis = sharedRedis();
  let postgres: PostgresServer;
  let dashboard: Dashboard;
  let api: RunningProgram;
  let address: string;
  let tenant: Tenant;
  let asked = 0;

  before(async () => {
    postgres = await PostgresServer.start();
    dashboard = await Dashboard.create(ALL.length, await postgres.createDatabase('content'));
    api = new RunningProgram(['api'], {
      READ_DATABASE_URL: dashboard.readDatabaseUrl,
      REDIS_URL: redis().url,
      RATE_LIMIT_MAX: '10000',
      PORT: '0',
      HOST: '127.0.0.1',
    });
    address = await addressOf(api);
  });

  after(async () => {
    expect(await api?.end('SIGTERM')).to.equal(0);
    await postgres?.stop();
  });

  const get = (path: string) => sendRequest(address, path, { 'X-API-Key': tenant.key });
  /** What nobody has asked for before. */
  const getCold = () =>
    Array.from({ length: COLD_AT_ONCE }, () => statusInTime(get(`/api/v1/blogs?search=${++asked}`)));
  const said = (message: string) => api.output.split(message).length - 1;

  function serversOf(place: Place): readonly Breakable[] {
    const server = redis();
    const ofRedis: Breakable = {
      pause: () => server.pause(),
      resume: () => server.resume(),
      kill: () => server.kill(),
      shutDown: () => server.kill(),
      startAgain: () => server.startEmpty(),
    };
    return [...(place === 'the read database' ? [] : [ofRedis]), ...(place === 'Redis' ? [] : [postgres])];
  }

  const BEGIN: Record<Fault, (server: Breakable) => Promise<void>> = {
    killed: (server) => server.kill(),
    frozen: (server) => server.pause(),
    restarted: (server) => server.shutDown(),
  };
  const END: Record<Fault, (server: Breakable) => Promise<void>> = {
    killed: (server) => server.startAgain(),
    frozen: (server) => server.resume(),
    restarted: (server) => server.startAgain(),
  };

  for (const [place, fault] of ALL) {
    if (process.env.TEST_FAULTS !== 'all' && !SOME.includes(`${place} ${fault}`)) continue;

    it(`${place}, ${fault}: what fails does so in ${LONGEST_FAILURE_MS} ms at most, and the API goes on by itself`, async () => {
      tenant = dashboard.tenant();
      expect((await get(WARM)).status).to.equal(200);
      expect((await get(WARM)).headers['x-cache']).to.equal('HIT');

      const servers = serversOf(place);
      await Promise.all(servers.map(BEGIN[fault]));
      try {
        for (let n = 0; n < 3; n++) {
          const warm = await statusInTime(get(WARM));
          // With both away nobody can say whether a key is still good.
          if (place === 'Redis and the read database') expect(warm).to.equal(500);
          // On a busy machine Redis may look gone at any time.
          else if (place === 'Redis' || said('Redis is away') === 0) expect(warm).to.equal(200);
        }
        const cold = await Promise.all(getCold());
        expect([...new Set(cold)]).to.deep.equal([place === 'Redis' ? 200 : 500]);
      } finally {
        await Promise.all(servers.map(END[fault]));
      }
      await eventually(async () => {
        const answers = await Promise.all([statusInTime(get(WARM)), ...getCold()]);
        expect(new Set(answers)).to.deep.equal(new Set([200]));
        expect(said('Redis is back')).to.equal(said('Redis is away'));
      }, RECOVERY_MS);
    });
  }
});
