import { expect } from 'chai';
import * as configuration from '../../../src/composition/settings/configuration.js';
import * as jobs from '../../../src/composition/settings/configuration.js';
import { ConfigurationError, type Environment } from '../../../src/composition/settings/read-settings.js';
import { problemsOf } from '../problems-of.js';

const ALL_WRONG: Environment = {
  PORT: 'port',
  HOST: 'no host',
  READ_DATABASE_URL: 'mysql://root@localhost/content',
  READ_REPLICA_URLS: 'postgres://one/content,mysql://two/content',
  REDIS_URL: 'http://host',
  REDIS_CACHE_URL: 'host',
  RATE_LIMIT_MAX: '0',
  RATE_LIMIT_WINDOW_SECONDS: '1.5',
  CACHE_LIST_TTL_SECONDS: '-1',
  CACHE_DETAIL_TTL_SECONDS: 'forever',
  LOG_LEVEL: 'loud',
  LOG_PRETTY: 'maybe',
};

const variablesOf = (problems: readonly string[]) => problems.map((problem) => problem.split(' ')[0]);

describe('The validation of the configuration', () => {
  it('reports every invalid variable at once', () => {
    const problems = problemsOf(() => configuration.apiConfiguration(ALL_WRONG));

    expect(variablesOf(problems)).to.have.members(Object.keys(ALL_WRONG));
  });

  it('reports a replica that is listed twice, without its password', () => {
    const READ_REPLICA_URLS = 'postgres://a:secret@one/content,postgres://b:secret@one:5432/content';
    const environment = { READ_DATABASE_URL: 'postgres://one/content', READ_REPLICA_URLS };
    expect(problemsOf(() => configuration.apiConfiguration(environment))).to.eql([
      'READ_REPLICA_URLS must name each database once, not one:5432/content twice',
    ]);
  });

  it('reports one line for each variable', () => {
    let message = '';
    try {
      configuration.apiConfiguration(ALL_WRONG);
    } catch (error) {
      if (error instanceof ConfigurationError) message = error.message;
    }
    const [heading, ...lines] = message.split('\n');

    expect(heading).to.equal('The configuration is not valid:');
    expect(variablesOf(lines.map((line) => line.trim()))).to.have.members(Object.keys(ALL_WRONG));
  });

  it('reports one line for a variable whose value has several lines', () => {
    for (const variable of ['PORT', 'HOST', 'LOG_LEVEL', 'LOG_PRETTY']) {
      for (const value of ['a\nb', 'a\r\nb', '\n']) {
        const [problem] = problemsOf(() => configuration.embeddedConfiguration({ [variable]: value }));
        expect(problem, variable).not.to.match(/[\r\n]/);
      }
    }
    const environment = { WRITE_DATABASE_URL_FILE: '/no\nwhere' };
    const [problem] = problemsOf(() => jobs.dashboardConfiguration(environment));
    expect(problem).not.to.match(/[\r\n]/);
  });

  it('rejects a Redis for answers without a Redis for rate limits', () => {
    const environment = { READ_DATABASE_URL: 'postgres://host/name', REDIS_CACHE_URL: 'redis://host' };
    for (const read of [configuration.apiConfiguration, jobs.doctorConfiguration]) {
      const [problem, ...others] = problemsOf(() => read(environment));
      expect(problem).to.match(/^REDIS_CACHE_URL is set without REDIS_URL: /);
      expect(others).to.eql([]);
    }
  });

  const READ = { READ_DATABASE_URL: 'postgres://host/name' };
  const readers = {
    api: (environment: Environment) => configuration.apiConfiguration({ ...READ, ...environment }),
    embedded: configuration.embeddedConfiguration,
    doctor: (environment: Environment) => jobs.doctorConfiguration({ ...READ, ...environment }),
  };
  for (const [program, read] of Object.entries(readers)) {
    it(`rejects one port for callers and operators: ${program}`, () => {
      for (const environment of [
        { PORT: '3055', ADMIN_PORT: '3055' },
        { ADMIN_PORT: '3000' },
        { PORT: '3055', ADMIN_PORT: '3055', HOST: '10.0.0.1', ADMIN_HOST: '10.0.0.1' },
        { PORT: '3055', ADMIN_PORT: '3055', HOST: '10.0.0.1', ADMIN_HOST: '0.0.0.0' },
        { PORT: '3055', ADMIN_PORT: '3055', HOST: '::', ADMIN_HOST: '10.0.0.1' },
      ]) {
        const [problem, ...others] = problemsOf(() => read(environment));
        expect(problem).to.match(/^PORT and ADMIN_PORT are both \d+ on the same address: /);
        expect(others).to.eql([]);
      }
    });

    it(`does not compare addresses that are invalid: ${program}`, () => {
      const environment = { PORT: '3055', ADMIN_PORT: '3055', HOST: 'no host', ADMIN_HOST: 'no host' };
      const problems = problemsOf(() => read(environment)).map((problem) => problem.split(' ')[0]);
      expect(problems).to.have.members(['HOST', 'ADMIN_HOST']);
    });

    it(`accepts one number for both ports if it is 0 or on different addresses: ${program}`, () => {
      for (const environment of [
        { PORT: '0', ADMIN_PORT: '0' },
        { PORT: '3055', ADMIN_PORT: '3055', HOST: '10.0.0.1' },
      ]) {
        expect(() => read(environment)).not.to.throw();
      }
    });
  }

  it('ignores the port of the API in the settings of a worker', () => {
    const environment = { ...READ, WRITE_DATABASE_URL: 'postgres://host/dashboard', ADMIN_PORT: '3000' };
    for (const read of [configuration.syncConfiguration, jobs.doctorConfiguration]) {
      expect(() => read(environment)).not.to.throw();
    }
  });

  it('names the missing databases', () => {
    const missing = {
      api: problemsOf(() => configuration.apiConfiguration({})),
      sync: problemsOf(() => configuration.syncConfiguration({ READ_DATABASE_URL: '' })),
      migrate: problemsOf(() => jobs.migrateConfiguration({})),
      dashboard: problemsOf(() => jobs.dashboardConfiguration({})),
    };

    expect(variablesOf(missing.api)).to.eql(['READ_DATABASE_URL']);
    expect(variablesOf(missing.sync)).to.have.members(['READ_DATABASE_URL', 'WRITE_DATABASE_URL']);
    expect(variablesOf(missing.migrate)).to.eql(['READ_DATABASE_URL']);
    expect(variablesOf(missing.dashboard)).to.eql(['WRITE_DATABASE_URL']);
    expect(missing.api[0]).to.equal(
      'READ_DATABASE_URL is missing: a PostgreSQL database, such as postgres://user:password@host:5432/name',
    );
  });

  it('reports an optional database with an invalid URL', () => {
    const environment = {
      READ_DATABASE_URL: 'postgres://host/content',
      WRITE_DATABASE_URL: 'host/dashboard',
    };

    expect(variablesOf(problemsOf(() => jobs.migrateConfiguration(environment)))).to.eql([
      'WRITE_DATABASE_URL',
    ]);
  });

  for (const url of [
    'http://host',
    'host:6379',
    'redis://one,http://two',
    'redis://one,',
    ',',
    'redis://one,sentinel://two/name',
    'redis:foo',
    'redis://',
    'redis:///2',
  ]) {
    it(`rejects "${url}" as the URL of Redis`, () => {
      const environment = { READ_DATABASE_URL: 'postgres://host/content', REDIS_URL: url };

      expect(problemsOf(() => configuration.apiConfiguration(environment))).to.eql([
        'REDIS_URL must be a URL such as redis://user:password@host:6379/0 or rediss://…, several with commas, or ' +
          'sentinel://host:26379,host:26379/master-name',
      ]);
    });
  }

  const wrongRedis = {
    'must name the database by its number, such as redis://host:6379/2, or not at all': [
      'redis://host/abc',
      'redis://host/1/2',
      'redis://host/-1',
    ],
    'must write a % in a name or password as %25': ['redis://u:word%zz@host', 'redis://one,redis://u%@two'],
    'must have redis:// for all nodes of a cluster, or rediss:// for all': ['redis://one,rediss://two'],
    'must have no parameters but family': ['redis://host?db=abc', 'redis://host/0?lazyConnect=true'],
  };
  for (const [problem, urls] of Object.entries(wrongRedis)) {
    for (const url of urls) {
      it(`rejects "${url}" as the URL of Redis, with the reason`, () => {
        const environment = { READ_DATABASE_URL: 'postgres://host/content', REDIS_URL: url };

        expect(problemsOf(() => configuration.apiConfiguration(environment))).to.eql([
          `REDIS_URL ${problem}`,
        ]);
      });
    }
  }

  const wrongEncryption = {
    'must have one of disable, prefer, require, verify-ca, verify-full, no-verify for sslmode':
      '?sslmode=bogus',
    'must have the path of a readable file for sslrootcert, not "/no/such.pem" (ENOENT)':
      '?sslmode=verify-full&sslrootcert=/no/such.pem',
  };
  for (const [problem, query] of Object.entries(wrongEncryption)) {
    it(`rejects "${query}" in the URL of a PostgreSQL`, () => {
      const url = `postgres://user:word@host/name${query}`;
      const environment = { READ_DATABASE_URL: url, READ_REPLICA_URLS: url };

      expect(problemsOf(() => configuration.apiConfiguration(environment))).to.have.members([
        `READ_DATABASE_URL ${problem}`,
        `READ_REPLICA_URLS ${problem}`,
      ]);
      expect(problemsOf(() => jobs.dashboardConfiguration({ WRITE_DATABASE_URL: url }))).to.eql([
        `WRITE_DATABASE_URL ${problem}`,
      ]);
    });
  }

  it('rejects a URL of MySQL whose password has an invalid % code', () => {
    const environment = { WRITE_DATABASE_URL: 'mysql://user:word%zz@host/name' };
    expect(problemsOf(() => jobs.dashboardConfiguration(environment))).to.eql([
      'WRITE_DATABASE_URL must write a % in a name or password as %25',
    ]);
  });

  const wrongSentinels = {
    'must be a URL such as sentinel://': [
      'sentinel://',
      'sentinel:host/name',
      'sentinel://host',
      'sentinel://host/',
      'sentinel://host,/name',
      'sentinel://host:port/name',
      'sentinel://host:99999/name',
      'sentinel://:pass/word@host/name',
      'sentinel://:pass?word@host/name',
      'sentinel://host/name/2',
      'sentinel://one/name,sentinel://two/name',
    ],
    'must have no parameters but db, sentinel_user, sentinel_password': [
      'sentinel://host/name?password=word',
    ],
    'must have a whole number for db': ['sentinel://host/name?db=', 'sentinel://host/name?db=two'],
    'must write a % in a name or password as %25': ['sentinel://:100%@host/name'],
  };
  for (const [problem, urls] of Object.entries(wrongSentinels)) {
    for (const url of urls) {
      it(`rejects "${url}" as the URL of Redis behind Sentinel`, () => {
        const environment = { READ_DATABASE_URL: 'postgres://host/content', REDIS_URL: url };

        const problems = problemsOf(() => configuration.apiConfiguration(environment));
        expect(problems).to.have.length(1);
        expect(problems[0]?.startsWith(`REDIS_URL ${problem}`), problems[0]).to.equal(true);
      });
    }
  }

  it('rejects a Redis Cluster with a database number', () => {
    const environment = {
      READ_DATABASE_URL: 'postgres://host/content',
      REDIS_URL: 'redis://one/1,redis://two',
    };

    expect(problemsOf(() => configuration.apiConfiguration(environment))).to.eql([
      'REDIS_URL must not have a database number: a cluster has only one database',
    ]);
  });

  for (const url of [
    'mysql://user:password@host',
    'mysql://user:password@host/',
    'mariadb://host/name',
    'http://host/name',
    'redis://host',
    'postgres',
    'host:5432/name',
    'user:password@host/name',
    '//host/name',
    ' ',
  ]) {
    it(`rejects "${url}" as the URL of a dashboard's database`, () => {
      expect(problemsOf(() => jobs.dashboardConfiguration({ WRITE_DATABASE_URL: url }))).to.eql([
        'WRITE_DATABASE_URL must be a URL such as postgres://user:password@host:5432/name or mysql://user:password@host:3306/name',
      ]);
    });
  }

  it('rejects a MySQL for the read tables', () => {
    const environment = { READ_DATABASE_URL: 'mysql://user:password@host/name' };

    expect(problemsOf(() => configuration.apiConfiguration(environment))).to.eql([
      'READ_DATABASE_URL must be a URL such as postgres://user:password@host:5432/name',
    ]);
  });
});
