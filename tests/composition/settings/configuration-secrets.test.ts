import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  apiConfiguration,
  dashboardConfiguration,
  syncConfiguration,
} from '../../../src/composition/settings/configuration.js';
import { problemsOf } from '../problems-of.js';

const SECRET = 'hunter2';
const URL_WITH_SECRET = `postgres://user:${SECRET}@host:5432/name`;

describe('A secret of the configuration', () => {
  let folder: string;

  const fileWith = async (text: string) => {
    const file = join(folder, 'secret');
    await writeFile(file, text);
    return file;
  };
  const problemsWith = (environment: Record<string, string>) =>
    problemsOf(() => dashboardConfiguration(environment));

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'configuration-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  for (const end of ['', '\n', '\r\n', ' \n\n']) {
    it(`is read from a file that ends with ${JSON.stringify(end)}`, async () => {
      const file = await fileWith(`${URL_WITH_SECRET}${end}`);

      expect(dashboardConfiguration({ WRITE_DATABASE_URL_FILE: file }).writeDatabaseUrl).to.equal(
        URL_WITH_SECRET,
      );
    });
  }

  it('is read from the file if the variable itself is empty', async () => {
    const environment = { WRITE_DATABASE_URL: '', WRITE_DATABASE_URL_FILE: await fileWith(URL_WITH_SECRET) };

    expect(dashboardConfiguration(environment).writeDatabaseUrl).to.equal(URL_WITH_SECRET);
  });

  it('is read from the variable if the name of the file is empty', () => {
    const environment = { WRITE_DATABASE_URL: URL_WITH_SECRET, WRITE_DATABASE_URL_FILE: '' };

    expect(dashboardConfiguration(environment).writeDatabaseUrl).to.equal(URL_WITH_SECRET);
  });

  it('is read from a separate file for each database', async () => {
    const file = await fileWith('postgres://host/write');
    const environment = { READ_DATABASE_URL: 'postgres://host/read', WRITE_DATABASE_URL_FILE: file };

    expect(syncConfiguration(environment)).to.include({
      readDatabaseUrl: 'postgres://host/read',
      writeDatabaseUrl: 'postgres://host/write',
    });
  });

  it('is refused if the variable and the file are both set, even to the same value', async () => {
    const file = await fileWith(URL_WITH_SECRET);

    expect(problemsWith({ WRITE_DATABASE_URL: URL_WITH_SECRET, WRITE_DATABASE_URL_FILE: file })).to.eql([
      'WRITE_DATABASE_URL and WRITE_DATABASE_URL_FILE are both set: set one of them',
    ]);
  });

  it('is missing if its file is empty', async () => {
    const [problem] = problemsWith({ WRITE_DATABASE_URL_FILE: await fileWith('\n') });

    expect(problem).to.match(/^WRITE_DATABASE_URL is missing/);
  });

  it('is reported with the name of its variable if its file does not exist', () => {
    const file = join(folder, 'nowhere');

    expect(problemsWith({ WRITE_DATABASE_URL_FILE: file })).to.eql([
      'WRITE_DATABASE_URL cannot be read (ENOENT): WRITE_DATABASE_URL_FILE takes the path of a file that holds the value',
    ]);
  });

  it('is reported with the name of its variable if its file is a folder', async () => {
    const file = join(folder, 'a-folder');
    await mkdir(file);

    expect(problemsWith({ WRITE_DATABASE_URL_FILE: file })).to.eql([
      'WRITE_DATABASE_URL cannot be read (EISDIR): WRITE_DATABASE_URL_FILE takes the path of a file that holds the value',
    ]);
  });

  it('is not shown if it is set instead of the name of its file', () => {
    for (const value of [SECRET, `host=db user=u password=${SECRET} dbname=x`]) {
      expect(problemsWith({ WRITE_DATABASE_URL_FILE: value }).join()).not.to.contain(SECRET);
    }
  });

  for (const separator of ['\n', '\r\n', '\t', '\r']) {
    it(`is refused and not shown if it contains ${JSON.stringify(separator)}`, async () => {
      const value = `postgres://host/one${separator}${URL_WITH_SECRET}`;
      const expected = [
        'WRITE_DATABASE_URL must be a single line, without tabs: where it takes several URLs, commas separate them',
      ];
      expect(problemsWith({ WRITE_DATABASE_URL_FILE: await fileWith(value) })).to.eql(expected);
      expect(problemsWith({ WRITE_DATABASE_URL: value })).to.eql(expected);
    });
  }

  it('is not shown if it is not a URL', () => {
    for (const value of [SECRET, `host=db user=u password=${SECRET} dbname=x`, `u:${SECRET}@host/name`]) {
      const environment = { READ_DATABASE_URL: value, READ_REPLICA_URLS: value, REDIS_URL: value };
      const problems = problemsOf(() => apiConfiguration(environment));
      expect(problems).to.have.length(3);
      expect(problems.join()).not.to.contain(SECRET);
    }
  });

  it('is never read from a file for a variable that is not secret', () => {
    const environment = { WRITE_DATABASE_URL: URL_WITH_SECRET, PORT_FILE: join(folder, 'nowhere') };

    expect(() => dashboardConfiguration(environment)).not.to.throw();
  });

  it('can be the URL of Redis, with its password', async () => {
    const environment = {
      READ_DATABASE_URL: 'postgres://host/read',
      REDIS_URL_FILE: await fileWith('redis://:a@b\n'),
    };

    expect(apiConfiguration(environment).redisUrls).to.eql(['redis://:a@b']);
    for (const wrong of [
      `http://:${SECRET}@host`,
      `redis://:${SECRET}@one/1,redis://two`,
      `sentinel://:${SECRET}@one,two`,
      `sentinel://:${SECRET}/more@one,two/name`,
      `sentinel://one/name?sentinel_password=${SECRET}&db=${SECRET}`,
      `sentinel://one/name?${SECRET}`,
      `sentinel://:${SECRET}%@one/name`,
    ]) {
      const problems = problemsOf(() =>
        apiConfiguration({ ...environment, REDIS_URL: wrong, REDIS_URL_FILE: '' }),
      );
      expect(problems.join()).to.include('REDIS_URL').and.not.include(SECRET);
    }
  });

  it('is never shown, whatever is wrong with it and wherever it comes from', async () => {
    for (const wrong of [
      SECRET,
      `mysql://user:${SECRET}@host`,
      `postgres//user:${SECRET}@host`,
      `"${URL_WITH_SECRET}"`,
    ]) {
      const file = await fileWith(wrong);
      const problems = [
        problemsWith({ WRITE_DATABASE_URL: wrong }),
        problemsWith({ WRITE_DATABASE_URL_FILE: file }),
        problemsWith({ WRITE_DATABASE_URL: wrong, WRITE_DATABASE_URL_FILE: file }),
      ];
      expect(problems.flat().join('\n'), wrong).not.to.include(SECRET);
    }
  });
});
