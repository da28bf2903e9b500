import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { dashboardConfiguration } from '../../../src/composition/settings/configuration.js';
import { apiConfiguration, syncConfiguration } from '../../support/programs/valid-configurations.js';
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

  it('is read from a file, however that ends, or from the variable if the other one is empty', async () => {
    for (const end of ['', '\n', '\r\n', ' \n\n']) {
      const file = await fileWith(`${URL_WITH_SECRET}${end}`);
      for (const environment of [
        { WRITE_DATABASE_URL_FILE: file },
        { WRITE_DATABASE_URL: '', WRITE_DATABASE_URL_FILE: file },
        { WRITE_DATABASE_URL: URL_WITH_SECRET, WRITE_DATABASE_URL_FILE: '' },
      ]) {
        expect(dashboardConfiguration(environment).writeDatabaseUrl).to.equal(URL_WITH_SECRET);
      }
    }
  });

  it('is read from a separate file for each variable', async () => {
    const file = await fileWith('postgres://host/write');
    const environment = { READ_DATABASE_URL: 'postgres://host/read', WRITE_DATABASE_URL_FILE: file };
    expect(syncConfiguration(environment)).to.include({
      readDatabaseUrl: 'postgres://host/read',
      writeDatabaseUrl: 'postgres://host/write',
    });
    const REDIS_URL_FILE = await fileWith('redis://:a@b\n');
    expect(apiConfiguration({ ...environment, REDIS_URL_FILE }).redisUrls).to.eql(['redis://:a@b']);
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

  it('is reported with the name of its variable if its file does not exist or is a folder', async () => {
    await mkdir(join(folder, 'a-folder'));
    for (const [file, code] of [
      ['nowhere', 'ENOENT'],
      ['a-folder', 'EISDIR'],
    ] as const) {
      expect(problemsWith({ WRITE_DATABASE_URL_FILE: join(folder, file) })).to.eql([
        `WRITE_DATABASE_URL cannot be read (${code}): WRITE_DATABASE_URL_FILE takes the path of a file that holds the value`,
      ]);
    }
  });

  it('is refused if it contains a line break or a tab', async () => {
    for (const separator of ['\n', '\r\n', '\t', '\r']) {
      const value = `postgres://host/one${separator}${URL_WITH_SECRET}`;
      const expected = [
        'WRITE_DATABASE_URL must be a single line, without tabs: where it takes several URLs, commas separate them',
      ];
      expect(problemsWith({ WRITE_DATABASE_URL_FILE: await fileWith(value) })).to.eql(expected);
      expect(problemsWith({ WRITE_DATABASE_URL: value })).to.eql(expected);
    }
  });

  it('is never read from a file for a variable that is not secret', () => {
    const environment = { WRITE_DATABASE_URL: URL_WITH_SECRET, PORT_FILE: join(folder, 'nowhere') };
    expect(() => dashboardConfiguration(environment)).not.to.throw();
  });

  it('is never shown, whatever is wrong with it and wherever it comes from', async () => {
    for (const wrong of [
      SECRET,
      `host=db user=u password=${SECRET} dbname=x`,
      `u:${SECRET}@host/name`,
      `mysql://user:${SECRET}@host`,
      `postgres//user:${SECRET}@host`,
      `"${URL_WITH_SECRET}"`,
    ]) {
      const file = await fileWith(wrong);
      const ofApi = { READ_DATABASE_URL: wrong, REDIS_URL: wrong };
      const problems = [
        problemsWith({ WRITE_DATABASE_URL: wrong }),
        problemsWith({ WRITE_DATABASE_URL_FILE: file }),
        problemsWith({ WRITE_DATABASE_URL: wrong, WRITE_DATABASE_URL_FILE: file }),
        problemsWith({ WRITE_DATABASE_URL_FILE: wrong }),
        problemsOf(() => apiConfiguration(ofApi)),
      ];
      expect(problems.flat()).to.have.length(6);
      expect(problems.flat().join('\n'), wrong).not.to.include(SECRET);
    }
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
        apiConfiguration({ READ_DATABASE_URL: URL_WITH_SECRET, REDIS_URL: wrong }),
      );
      expect(problems.join()).to.include('REDIS_URL').and.not.include(SECRET);
    }
  });
});
