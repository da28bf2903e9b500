import { expect } from 'chai';
import {
  dashboardConfiguration,
  migrateConfiguration,
} from '../../../src/composition/settings/configuration.js';
import {
  apiConfiguration,
  embeddedConfiguration,
  syncConfiguration,
} from '../../support/programs/valid-configurations.js';

const READ = 'postgres://reader:secret@read.example.com:5432/content';
const WRITE = 'postgresql://writer:p%40ss@[::1]:5433/dashboard?sslmode=verify-full';
const DEFAULTS_OF_API = {
  port: 3000,
  host: '0.0.0.0',
  readDatabaseUrl: READ,
  window: { limit: 100, lengthMs: 60_000 },
  cacheLifetimesMs: { list: 300_000, detail: 900_000 },
  staleIfErrorMs: 60_000,
  maxSyncAgeMs: null,
  redisUrls: null,
  redisCacheUrls: null,
  logLevel: 'info',
  logPretty: null,
  adminPort: null,
  adminHost: '127.0.0.1',
  drainMs: 0,
};

describe('The configuration', () => {
  describe('of the API', () => {
    it("has the documented defaults, and never needs the dashboard's database", () => {
      expect(apiConfiguration({ READ_DATABASE_URL: READ, WRITE_DATABASE_URL: 'nonsense' })).to.eql(
        DEFAULTS_OF_API,
      );
    });

    it('reads every value from its variable, and treats an empty one as missing', () => {
      const environment = {
        PORT: '8080',
        HOST: '::1',
        ADMIN_PORT: '8081',
        ADMIN_HOST: '::2',
        DRAIN_SECONDS: '17',
        REDIS_URL: 'rediss://user:secret@redis.example.com:6380/2',
        REDIS_CACHE_URL: 'redis://cache-1:7000, redis://cache-2:7000/0',
        RATE_LIMIT_MAX: '5',
        RATE_LIMIT_WINDOW_SECONDS: '7',
        CACHE_LIST_TTL_SECONDS: '11',
        CACHE_DETAIL_TTL_SECONDS: '0',
        STALE_IF_ERROR_SECONDS: '19',
        MAX_SYNC_AGE_SECONDS: '23',
        LOG_LEVEL: 'silent',
        LOG_PRETTY: 'false',
      };
      expect(apiConfiguration({ READ_DATABASE_URL: READ, ...environment })).to.eql({
        port: 8080,
        host: '::1',
        readDatabaseUrl: READ,
        window: { limit: 5, lengthMs: 7000 },
        cacheLifetimesMs: { list: 11_000, detail: 0 },
        staleIfErrorMs: 19_000,
        maxSyncAgeMs: 23_000,
        redisUrls: ['rediss://user:secret@redis.example.com:6380/2'],
        redisCacheUrls: ['redis://cache-1:7000', 'redis://cache-2:7000/0'],
        logLevel: 'silent',
        logPretty: false,
        adminPort: 8081,
        adminHost: '::2',
        drainMs: 17_000,
      });
      const empty = Object.fromEntries(Object.keys(environment).map((name) => [name, '']));
      expect(apiConfiguration({ READ_DATABASE_URL: READ, READ_DATABASE_URL_FILE: '', ...empty })).to.eql(
        DEFAULTS_OF_API,
      );
    });

    it('leaves the default port for operators to the public API if that uses it', () => {
      const environment = { READ_DATABASE_URL: READ, PORT: '3001' };
      expect(apiConfiguration(environment).adminPort).to.equal(0);
    });
  });

  it('of the embedded program needs nothing, and binds to loopback', () => {
    const { readDatabaseUrl, redisUrls, redisCacheUrls, ...shared } = DEFAULTS_OF_API;
    expect(embeddedConfiguration({})).to.eql({
      ...shared,
      host: '127.0.0.1',
      syncPollMs: 100,
      webhooks: [],
    });
    expect(embeddedConfiguration({ SYNC_POLL_MS: '25', HOST: '0.0.0.0' })).to.include({
      syncPollMs: 25,
      host: '0.0.0.0',
    });
  });

  describe('of the jobs', () => {
    const both = { READ_DATABASE_URL: READ, WRITE_DATABASE_URL: WRITE };
    const urls = { readDatabaseUrl: READ, writeDatabaseUrl: WRITE };

    it('has both databases for the sync worker, and no time for draining', () => {
      expect(syncConfiguration(both)).to.include({ ...urls, syncPollMs: 100 });
      const environment = {
        REDIS_URL: 'redis://host',
        SYNC_POLL_MS: '25',
        ADMIN_PORT: '8081',
        DRAIN_SECONDS: '17',
      };
      expect(syncConfiguration({ ...both, ...environment })).to.deep.include({
        syncPollMs: 25,
        adminPort: 8081,
        adminHost: '127.0.0.1',
        drainMs: 0,
      });
    });

    it("has for the migration both databases or the read tables, and for others the dashboard's", () => {
      expect(migrateConfiguration(both)).to.eql({ ...urls, dashboardMapping: null });
      expect(migrateConfiguration({ READ_DATABASE_URL: READ })).to.eql({
        readDatabaseUrl: READ,
        writeDatabaseUrl: null,
        dashboardMapping: null,
      });
      const DASHBOARD_MAPPING = 'mapping.yaml';
      expect(dashboardConfiguration({ WRITE_DATABASE_URL: WRITE, DASHBOARD_MAPPING })).to.eql({
        writeDatabaseUrl: WRITE,
        dashboardMapping: DASHBOARD_MAPPING,
      });
    });
  });
});
