import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDashboardDatabase } from '../../src/adapters/sql/postgres/open-database.js';
import { NEWSROOM, NEWSROOM_CONTENT, NEWSROOM_MAPPING } from '../support/dashboards/second-dashboard.js';
import { runSql } from '../support/postgres/run-sql.js';
import { createTestDatabase } from '../support/postgres/test-postgres.js';
import { TestRole } from '../support/postgres/test-role.js';
import { runProgram } from '../support/programs/program.js';
import { refusedTo } from './granted-roles.js';

/** Its website has a view of its own, whose table the worker need not read. */
const LIVE_SITES = `create table newsroom.all_sites (site_no bigint primary key, label text);
  create schema live; create view live."Sites" as select site.* from newsroom.sites as site join newsroom.all_sites using (site_no);
  insert into newsroom.all_sites select * from newsroom.sites`;
const MAPPING = NEWSROOM_MAPPING.replace('from newsroom.sites', 'from live."Sites"').replace(
  'captures:',
  'captures:\n  newsroom.all_sites: {}',
);

describe('The grants of a mapping', () => {
  it('are all that `migrate --grants` prints, and a role with nothing else runs the worker', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'grants-'));
    await writeFile(join(folder, 'mapping.yaml'), MAPPING);
    const [write, read] = [await createTestDatabase(), await createTestDatabase()];
    await runSql(write, `${NEWSROOM} ${NEWSROOM_CONTENT} ${LIVE_SITES}`);
    const owner = { WRITE_DATABASE_URL: write, DASHBOARD_MAPPING: join(folder, 'mapping.yaml') };
    const databases = [openDashboardDatabase(write), openDashboardDatabase(read)] as const;
    const worker = await TestRole.create(...databases);
    const api = await TestRole.create(databases[1]);
    const roles = ['--api-role', api.name, '--sync-role', worker.name];
    const granted = {
      ...owner,
      WRITE_DATABASE_URL: worker.urlOf(write),
      READ_DATABASE_URL: worker.urlOf(read),
    };
    try {
      const readTables = await runProgram(['migrate', '--with-grants', ...roles], {
        READ_DATABASE_URL: read,
      });
      expect(readTables.code, readTables.output).to.equal(0);
      const early = await runProgram(['migrate', '--grants', '--sync-role', worker.name], owner);
      expect((await runProgram(['migrate'], { ...owner, READ_DATABASE_URL: read })).code).to.equal(0);
      const refused = await runProgram(['sync', '--once'], granted);
      expect(refused.code, 'without them').not.to.equal(0);

      const { code, output } = await runProgram(['migrate', '--grants', '--sync-role', worker.name], owner);
      expect(code, output).to.equal(0);
      expect(output, 'they can be reviewed before anything is created').to.equal(early.output);
      for (const line of output.trimEnd().split('\n')) expect(line).to.match(/^grant .* to "role_\w+";$/);
      await runSql(write, output);
      const filled = await runProgram(['sync', '--once'], granted);
      expect(filled.code, filled.output).to.equal(0);
      expect(await runSql(read, 'select count(*)::int as blogs from content_read.blogs')).to.eql([
        { blogs: 16 },
      ]);
      const statements = [
        'select * from newsroom.articles, newsroom.sites where false for update',
        'select * from content_sync.migrations',
        `insert into content_keys.api_keys values ('x')`,
      ];
      expect(await refusedTo(worker, write, statements)).to.eql(statements);
    } finally {
      await worker.drop();
      await api.drop();
      for (const database of databases) await database.destroy();
      await rm(folder, { recursive: true });
    }
  });
});
