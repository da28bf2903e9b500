import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { makeSchema } from '../../../../src/adapters/dashboard/demo/make-schema.js';
import { createTestMariaDbDatabase, mariaDbForTests } from '../../support/servers/test-mariadb.js';

describe('The reference schema on MariaDB', () => {
  let folder: string;
  let url: string;

  before(async function () {
    url = await createTestMariaDbDatabase(await mariaDbForTests(this));
    folder = await mkdtemp(join(tmpdir(), 'blog-read-api-schema-'));
    await writeFile(join(folder, '0001_blogs.sql'), 'create table if not exists blogs (id integer);\n');
  });
  after(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  const make = () => makeSchema(url, pathToFileURL(`${folder}/`));

  it('gets missing tables and columns, and a further run changes nothing', async () => {
    expect(await make()).to.eql({ tables: 1, additions: 0 });
    const statement =
      '-- For lists.\nalter table blogs add column subtitle text, add column views integer;\n';
    await writeFile(join(folder, '0002_subtitle.sql'), statement);
    expect(await make()).to.eql({ tables: 0, additions: 1 });
    expect(await make()).to.eql({ tables: 0, additions: 0 });
  });

  it('is refused with the error of the server if a statement is wrong', async () => {
    await writeFile(join(folder, '0003_wrong.sql'), 'alter table nowhere add column subtitle text;\n');
    const error = await make().catch((reason: Error) => reason);
    expect(error).to.be.instanceOf(Error).with.property('message').that.contains('nowhere');
  });
});
