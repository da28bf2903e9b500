import { expect } from 'chai';
import {
  dashboardConfiguration,
  migrateConfiguration,
  webhooksConfiguration,
} from '../../../src/composition/settings/configuration.js';
import { ConfigurationError, type Environment } from '../../../src/composition/settings/read-settings.js';
import {
  apiConfiguration,
  doctorConfiguration,
  embeddedConfiguration,
} from '../../support/programs/valid-configurations.js';
import { problemsOf } from '../problems-of.js';

const ALL_WRONG: Environment = {
  PORT: 'port',
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
const READ = { READ_DATABASE_URL: 'postgres://host/name' };

const variablesOf = (problems: readonly string[]) => problems.map((problem) => problem.split(' ')[0]);
const onlyProblemOf = (read: () => unknown) => {
  const problems = problemsOf(read);
  expect(problems).to.have.length(1);
  return problems[0] ?? '';
};

describe('The validation of the configuration', () => {
  it('reports every invalid variable at once, a line each', () => {
    const read = () => apiConfiguration(ALL_WRONG);
    const problems = problemsOf(read);
    expect(variablesOf(problems)).to.have.members(Object.keys(ALL_WRONG));
    expect(read).to.throw(ConfigurationError, ['The configuration is not valid:', ...problems].join('\n  '));
  });

  it('reports one line for a variable whose value has several lines', () => {
    for (const variable of ['PORT', 'LOG_LEVEL', 'LOG_PRETTY']) {
      for (const value of ['a\nb', 'a\r\nb', '\n']) {
        const [problem] = problemsOf(() => embeddedConfiguration({ [variable]: value }));
        expect(problem, variable).not.to.match(/[\r\n]/);
      }
    }
    const [problem] = problemsOf(() => dashboardConfiguration({ WRITE_DATABASE_URL_FILE: '/no\nwhere' }));
    expect(problem).not.to.match(/[\r\n]/);
  });

  it('names what a command without ports lacks', () => {
    for (const read of [migrateConfiguration, doctorConfiguration])
      expect(problemsOf(() => read({ READ_DATABASE_URL: '', REDIS_CACHE_URL: '' }))).to.eql([
        'READ_DATABASE_URL is missing: this command needs it (read tables: postgres://user:password@host:5432/name)',
      ]);
    expect(variablesOf(problemsOf(() => dashboardConfiguration({})))).to.eql(['WRITE_DATABASE_URL']);
    expect(variablesOf(problemsOf(() => webhooksConfiguration({})))).to.eql(['WEBHOOKS']);
    expect(migrateConfiguration({ EXTENSIONS: './ours.js' }).readDatabaseUrl).to.equal(null);
  });

  it('reports an optional database with an invalid URL', () => {
    const environment = { ...READ, WRITE_DATABASE_URL: 'host/dashboard' };
    expect(variablesOf(problemsOf(() => migrateConfiguration(environment)))).to.eql(['WRITE_DATABASE_URL']);
  });

  for (const host of ['999.1.1.1', 'http://x', '::zz', 'a b']) {
    it(`rejects "${host}" as a host`, () => {
      const problems = problemsOf(() => apiConfiguration({ ...READ, HOST: host, ADMIN_HOST: host }));
      expect(variablesOf(problems)).to.have.members(['ADMIN_HOST', 'HOST']);
    });
  }

  it('rejects one port for consumers and operators, but not two free ones', () => {
    expect(onlyProblemOf(() => apiConfiguration({ ...READ, PORT: '3777', ADMIN_PORT: '3777' }))).to.equal(
      'PORT and ADMIN_PORT are both 3777: set one of them to another port',
    );
    expect(apiConfiguration({ ...READ, PORT: '0', ADMIN_PORT: '0' })).to.include({ port: 0, adminPort: 0 });
  });

  it('reports all contradictions', () => {
    const environment = { PORT: '3777', ADMIN_PORT: '3777', REDIS_CACHE_URL: 'redis://host' };
    expect(variablesOf(problemsOf(() => doctorConfiguration(environment)))).to.eql([
      'PORT',
      'REDIS_CACHE_URL',
      'READ_DATABASE_URL',
    ]);
  });

  it('rejects a Redis for answers without a Redis for rate limits', () => {
    for (const read of [apiConfiguration, doctorConfiguration]) {
      expect(onlyProblemOf(() => read({ ...READ, REDIS_CACHE_URL: 'redis://host' }))).to.match(
        /^REDIS_CACHE_URL is set without REDIS_URL: /,
      );
    }
  });

  const wrongRedis = {
    'must be a URL such as redis://user:password@host:6379/0 or rediss://…, several with commas, or sentinel://':
      [
        'http://host',
        'host:6379',
        'redis://one,http://two',
        'redis://one,',
        ',',
        'redis://one,sentinel://two/name',
        'redis:foo',
        'redis://',
        'redis:///2',
      ],
    'must name the database by its number, such as redis://host:6379/2, or not at all': [
      'redis://host/abc',
      'redis://host/1/2',
      'redis://host/-1',
    ],
    'must write a % in a name or password as %25': [
      'redis://u:word%zz@host',
      'redis://one,redis://u%@two',
      'sentinel://:100%@host/name',
    ],
    'must have redis:// for all nodes of a cluster, or rediss:// for all': ['redis://one,rediss://two'],
    'must have no parameters but family': ['redis://host?db=abc', 'redis://host/0?lazyConnect=true'],
    'must not have a database number: a cluster has only one database': ['redis://one/1,redis://two'],
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
  };
  for (const [problem, urls] of Object.entries(wrongRedis)) {
    it(`rejects a URL of Redis that ${problem.replace('must', 'has to')}`, () => {
      for (const url of urls) {
        const found = onlyProblemOf(() => apiConfiguration({ ...READ, REDIS_URL: url }));
        expect(found.startsWith(`REDIS_URL ${problem}`), `${url}: ${found}`).to.equal(true);
      }
    });
  }

  const otherMode =
    'must have sslmode=verify-full instead of another mode (no-verify trusts any server, disable does not encrypt)';
  const wrongEncryption = {
    '?sslmode=bogus': otherMode,
    '?sslmode=prefer': otherMode,
    '?sslmode=require': otherMode,
    '?sslmode=verify-ca': otherMode,
    '?sslmode=verify-full&sslrootcert=/no/such.pem':
      'must have the path of a readable file for sslrootcert, not "/no/such.pem" (ENOENT)',
  };
  for (const [query, problem] of Object.entries(wrongEncryption)) {
    it(`rejects "${query}" in the URL of a PostgreSQL`, () => {
      const url = `postgres://user:word@host/name${query}`;
      expect(problemsOf(() => apiConfiguration({ READ_DATABASE_URL: url }))).to.eql([
        `READ_DATABASE_URL ${problem}`,
      ]);
      expect(problemsOf(() => dashboardConfiguration({ WRITE_DATABASE_URL: url }))).to.eql([
        `WRITE_DATABASE_URL ${problem}`,
      ]);
    });
  }

  it('rejects parameters for TLS in the URL of a MariaDB that its driver ignores, and says which to write', () => {
    const read = (query: string) =>
      dashboardConfiguration({ WRITE_DATABASE_URL: `mysql://user:word@host/name?${query}` });
    const problem = 'WRITE_DATABASE_URL must have ssl={"verifyIdentity":true} for TLS';
    for (const query of ['ssl=true', 'sslmode=verify-full', 'ssl-mode=REQUIRED'])
      expect(onlyProblemOf(() => read(query))).to.equal(problem);
    expect(() => read('ssl={"verifyIdentity":true}')).not.to.throw();
  });

  it("rejects the URL of a dashboard's database that has another form, and says which it takes", () => {
    const withoutName = { WRITE_DATABASE_URL: 'mysql://user:password@host/' };
    expect(problemsOf(() => dashboardConfiguration(withoutName))).to.eql([
      'WRITE_DATABASE_URL must be a URL such as mysql://user:password@host:3306/name',
    ]);
    for (const url of [
      'mariadb://host/name',
      'http://host/name',
      'postgres',
      'host:5432/name',
      'user:password@host/name',
      '//host/name',
      ' ',
    ]) {
      expect(
        problemsOf(() => dashboardConfiguration({ WRITE_DATABASE_URL: url })),
        url,
      ).to.eql([
        'WRITE_DATABASE_URL must be a URL such as postgres://user:password@host:5432/name or mysql://user:password@host:3306/name',
      ]);
    }
    const environment = { WRITE_DATABASE_URL: 'mysql://user:word%zz@host/name' };
    expect(problemsOf(() => dashboardConfiguration(environment))).to.eql([
      'WRITE_DATABASE_URL must write a % in a name or password as %25',
    ]);
  });

  it('rejects a MySQL for the read tables', () => {
    const environment = { READ_DATABASE_URL: 'mysql://user:password@host/name' };
    expect(problemsOf(() => apiConfiguration(environment))).to.eql([
      'READ_DATABASE_URL must be a URL such as postgres://user:password@host:5432/name',
    ]);
  });
});
