import { expect } from 'chai';
import * as configuration from '../../src/composition/configuration.js';
import * as jobs from '../../src/composition/job-configuration.js';
import { ConfigurationError, type Environment } from '../../src/composition/read-settings.js';
import { problemsOf } from '../support/problems-of.js';

const ALL_WRONG: Environment = {
  PORT: 'port',
  HOST: 'no host',
  READ_DATABASE_URL: 'mysql://root@localhost/content',
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

describe('a wrong configuration', () => {
  it('is told with every variable that is wrong, in one go', () => {
    const problems = problemsOf(() => configuration.apiConfiguration(ALL_WRONG));

    expect(variablesOf(problems)).to.have.members(Object.keys(ALL_WRONG));
  });

  it('is told with a line for each variable', () => {
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

  it('is told with one line for a variable whose value has several', () => {
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

  it('is one that has answers in a Redis, and limits in none', () => {
    const environment = { READ_DATABASE_URL: 'postgres://host/name', REDIS_CACHE_URL: 'redis://host' };
    for (const read of [configuration.apiConfiguration, jobs.doctorConfiguration]) {
      const [problem, ...others] = problemsOf(() => read(environment));
      expect(problem).to.match(/^REDIS_CACHE_URL is set without REDIS_URL: /);
      expect(others).to.eql([]);
    }
  });

  it('names the databases that are missing', () => {
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

  it('says so also of a database that may be left out, but not be wrong', () => {
    const environment = {
      READ_DATABASE_URL: 'postgres://host/content',
      WRITE_DATABASE_URL: 'host/dashboard',
    };

    expect(variablesOf(problemsOf(() => jobs.migrateConfiguration(environment)))).to.eql([
      'WRITE_DATABASE_URL',
    ]);
  });

  for (const url of ['http://host', 'host:6379', 'redis://one,http://two', 'redis://one,', ',']) {
    it(`takes no "${url}" for Redis`, () => {
      const environment = { READ_DATABASE_URL: 'postgres://host/content', REDIS_URL: url };

      expect(problemsOf(() => configuration.apiConfiguration(environment))).to.eql([
        'REDIS_URL must be a URL such as redis://user:password@host:6379/0 or rediss://…, or several with commas',
      ]);
    });
  }

  it('takes no cluster of Redis with a database number', () => {
    const environment = {
      READ_DATABASE_URL: 'postgres://host/content',
      REDIS_URL: 'redis://one/1,redis://two',
    };

    expect(problemsOf(() => configuration.apiConfiguration(environment))).to.eql([
      'REDIS_URL must not name a database number for a cluster: clusters have none',
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
    it(`takes no "${url}" for a dashboard's database`, () => {
      expect(problemsOf(() => jobs.dashboardConfiguration({ WRITE_DATABASE_URL: url }))).to.eql([
        'WRITE_DATABASE_URL must be a URL such as postgres://user:password@host:5432/name or mysql://user:password@host:3306/name',
      ]);
    });
  }

  it('takes no MySQL for the read tables', () => {
    const environment = { READ_DATABASE_URL: 'mysql://user:password@host/name' };

    expect(problemsOf(() => configuration.apiConfiguration(environment))).to.eql([
      'READ_DATABASE_URL must be a URL such as postgres://user:password@host:5432/name',
    ]);
  });
});
