import { expect } from 'chai';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { sharedRedis } from '../../support/redis/test-redis.js';
import { PostgresServer } from '../support/servers/postgres-server.js';
import { ApiInOutage } from './api-in-outage.js';

const FAULTS = ['killed', 'frozen', 'restarted'] as const;
/**
 * The read database first: after an outage of Redis, everything waits until it reports what changed in the meantime.
 */
const PLACES = ['the read database', 'Redis', 'Redis and the read database'] as const;
type Fault = (typeof FAULTS)[number];
type Place = (typeof PLACES)[number];

const ALL = PLACES.flatMap((place) => FAULTS.map((fault) => [place, fault] as const));
/** The cases that no other test has in another form. */
const SOME: readonly string[] = ['the read database killed', 'Redis and the read database restarted'];

interface Breakable {
  pause(): Promise<void>;
  resume(): Promise<void>;
  kill(): Promise<void>;
  shutDown(): Promise<void>;
  startAgain(): Promise<void>;
}

describe('When a server of the API fails', () => {
  const redis = sharedRedis();
  let postgres: PostgresServer;
  let dashboard: Dashboard;
  let api: ApiInOutage;

  before(async () => {
    postgres = await PostgresServer.start();
    dashboard = await Dashboard.create(ALL.length, {
      readDatabaseUrl: await postgres.createDatabase('content'),
    });
    api = await ApiInOutage.start(dashboard.readDatabaseUrl, redis().url);
  });

  after(async () => {
    await api?.end();
    await postgres?.stop();
  });

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

    it(`(${place}, ${fault}), only requests that need it fail, and the API recovers without help`, async () => {
      await api.warmUp(dashboard.tenant());

      const servers = serversOf(place);
      await Promise.all(servers.map(BEGIN[fault]));
      try {
        // With both unavailable it is unknown whether a key is still valid, and what was polled last counts for a moment.
        if (place === 'Redis and the read database')
          await eventually(async () => expect(await api.warm()).to.equal(500));
        else
          for (let n = 0; n < 3; n++) {
            const warm = await api.warm();
            if (place === 'Redis' || !api.hasEverMissedRedis) expect(warm).to.equal(200);
          }
        const cold = await api.cold();
        expect([...new Set(cold)]).to.deep.equal([place === 'Redis' ? 200 : 500]);
      } finally {
        await Promise.all(servers.map(END[fault]));
      }
      await api.recovers();
    });
  }
});
