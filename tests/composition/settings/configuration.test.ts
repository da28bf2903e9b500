import { expect } from 'chai';
import * as configuration from '../../../src/composition/settings/configuration.js';
import * as jobs from '../../../src/composition/settings/configuration.js';

const READ = 'postgres://reader:secret@read.example.com:5432/content';
const WRITE = 'postgresql://writer:secret@write.example.com/dashboard';

const REPLICAS = [
  'postgres://reader:secret@one.example.com/content',
  'postgresql://two.example.com:5433/content',
];

describe('The configuration', () => {
  describe('of the API', () => {
    it('has the documented defaults', () => {
      expect(configuration.apiConfiguration({ READ_DATABASE_URL: READ })).to.eql({
        port: 3000,
        host: '0.0.0.0',
        readDatabaseUrl: READ,
        readReplicaUrls: [],
        window: { limit: 100, lengthMs: 60_000 },
        cacheLifetimesMs: { list: 300_000, detail: 900_000 },
        staleIfErrorMs: 0,
        redisUrls: null,
        redisCacheUrls: null,
        logLevel: 'info',
        logPretty: null,
        operations: { port: null, host: '127.0.0.1', drainMs: 0 },
      });
    });

    it('reads every value from its variable', () => {
      const environment = {
        PORT: '8080',
        HOST: '::1',
        ADMIN_PORT: '8081',
        ADMIN_HOST: '::2',
        DRAIN_SECONDS: '17',
        READ_DATABASE_URL: READ,
        READ_REPLICA_URLS: REPLICAS.join(' , '),
        REDIS_URL: 'rediss://user:secret@redis.example.com:6380/2',
        REDIS_CACHE_URL: 'redis://cache-1:7000,redis://cache-2:7000',
        RATE_LIMIT_MAX: '5',
        RATE_LIMIT_WINDOW_SECONDS: '7',
        CACHE_LIST_TTL_SECONDS: '11',
        CACHE_DETAIL_TTL_SECONDS: '13',
        LOG_LEVEL: 'silent',
        LOG_PRETTY: 'false',
      };

      expect(configuration.apiConfiguration(environment)).to.eql({
        port: 8080,
        host: '::1',
        readDatabaseUrl: READ,
        readReplicaUrls: REPLICAS,
        window: { limit: 5, lengthMs: 7000 },
        cacheLifetimesMs: { list: 11_000, detail: 13_000 },
        staleIfErrorMs: 0,
        redisUrls: ['rediss://user:secret@redis.example.com:6380/2'],
        redisCacheUrls: ['redis://cache-1:7000', 'redis://cache-2:7000'],
        logLevel: 'silent',
        logPretty: false,
        operations: { port: 8081, host: '::2', drainMs: 17_000 },
      });
    });

    it('treats an empty variable as a missing one', () => {
      const environment = {
        PORT: '',
        HOST: '',
        ADMIN_PORT: '',
        ADMIN_HOST: '',
        DRAIN_SECONDS: '',
        READ_DATABASE_URL: READ,
        READ_DATABASE_URL_FILE: '',
        REDIS_URL: '',
        REDIS_URL_FILE: '',
        RATE_LIMIT_MAX: '',
        RATE_LIMIT_WINDOW_SECONDS: '',
        CACHE_LIST_TTL_SECONDS: '',
        CACHE_DETAIL_TTL_SECONDS: '',
        LOG_LEVEL: '',
        LOG_PRETTY: '',
      };

      expect(configuration.apiConfiguration(environment)).to.eql(
        configuration.apiConfiguration({ READ_DATABASE_URL: READ }),
      );
    });

    it('leaves the default port for operators to the public API if that uses it', () => {
      const environment = { READ_DATABASE_URL: READ, PORT: '3001' };

      expect(configuration.apiConfiguration(environment).operations.port).to.equal(0);
      const elsewhere = { ...environment, ADMIN_PORT: '3001', HOST: '192.0.2.1' };
      expect(configuration.apiConfiguration(elsewhere).operations.port).to.equal(3001);
    });

    it("never needs the dashboard's database", () => {
      expect(() =>
        configuration.apiConfiguration({ READ_DATABASE_URL: READ, WRITE_DATABASE_URL: 'nonsense' }),
      ).not.to.throw();
    });

    it('disables the cache of one kind with a lifetime of 0', () => {
      const { cacheLifetimesMs } = configuration.apiConfiguration({
        READ_DATABASE_URL: READ,
        CACHE_LIST_TTL_SECONDS: '0',
      });

      expect(cacheLifetimesMs).to.eql({ list: 0, detail: 900_000 });
    });
  });

  describe('of the embedded program', () => {
    it('needs nothing, and binds to loopback', () => {
      expect(configuration.embeddedConfiguration({})).to.eql({
        port: 3000,
        host: '127.0.0.1',
        window: { limit: 100, lengthMs: 60_000 },
        cacheLifetimesMs: { list: 300_000, detail: 900_000 },
        staleIfErrorMs: 0,
        logLevel: 'info',
        logPretty: null,
        syncPollMs: 100,
        operations: { port: null, host: '127.0.0.1', drainMs: 0 },
      });
    });

    it('looks for changes at the interval of SYNC_POLL_MS', () => {
      expect(configuration.embeddedConfiguration({ SYNC_POLL_MS: '25' })).to.include({ syncPollMs: 25 });
    });

    it('binds to the address in HOST', () => {
      expect(configuration.embeddedConfiguration({ HOST: '0.0.0.0' })).to.include({ host: '0.0.0.0' });
    });
  });

  describe('of the jobs', () => {
    const both = { READ_DATABASE_URL: READ, WRITE_DATABASE_URL: WRITE };

    it('has both databases for the sync worker', () => {
      expect(configuration.syncConfiguration(both)).to.include({
        readDatabaseUrl: READ,
        writeDatabaseUrl: WRITE,
        redisUrls: null,
        syncPollMs: 100,
      });
      const environment = { ...both, REDIS_URL: 'redis://host', SYNC_POLL_MS: '25' };
      expect(configuration.syncConfiguration(environment)).to.deep.include({
        redisUrls: ['redis://host'],
        syncPollMs: 25,
      });
    });

    it('has no time for draining in the sync worker', () => {
      const environment = { ...both, ADMIN_PORT: '8081', DRAIN_SECONDS: '17' };

      expect(configuration.syncConfiguration(environment).operations).to.eql({
        port: 8081,
        host: '127.0.0.1',
        drainMs: 0,
      });
    });

    it('has both databases for the migration, or only the read tables', () => {
      expect(jobs.migrateConfiguration(both)).to.eql({
        readDatabaseUrl: READ,
        writeDatabaseUrl: WRITE,
        dashboardMapping: null,
      });
      expect(jobs.migrateConfiguration({ READ_DATABASE_URL: READ })).to.eql({
        readDatabaseUrl: READ,
        writeDatabaseUrl: null,
        dashboardMapping: null,
      });
    });

    it("has only the dashboard's database for commands that need only that", () => {
      const DASHBOARD_MAPPING = 'mapping.yaml';
      expect(jobs.dashboardConfiguration({ WRITE_DATABASE_URL: WRITE, DASHBOARD_MAPPING })).to.eql({
        writeDatabaseUrl: WRITE,
        dashboardMapping: DASHBOARD_MAPPING,
      });
    });
  });

  it('accepts several nodes of a Redis Cluster', () => {
    const environment = { READ_DATABASE_URL: READ, REDIS_URL: 'redis://one:7000, redis://two:7000/0' };

    expect(configuration.apiConfiguration(environment).redisUrls).to.eql([
      'redis://one:7000',
      'redis://two:7000/0',
    ]);
  });

  for (const scheme of ['postgres', 'postgresql']) {
    it(`accepts a database with a ${scheme} URL, and does not change the URL`, () => {
      const url = `${scheme}://user:p%40ss@[::1]:5433/name?sslmode=require`;

      expect(jobs.dashboardConfiguration({ WRITE_DATABASE_URL: url }).writeDatabaseUrl).to.equal(url);
    });
  }
});
