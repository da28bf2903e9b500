import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { migrateDatabase } from '../../../src/adapters/postgres/migrate-database.js';
import { CAPTURE_MIGRATIONS } from '../../../src/composition/project-folders.js';
import { migrate } from '../../../src/programs/migrate/migrate.js';
import { waitingChanges } from '../../support/dashboards/captured-changes.js';
import { DashboardUnderTest } from '../../support/dashboards/dashboard-under-test.js';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';

/** The first migration that release 1.0 does not have. */
const AFTER_RELEASE_1 = '0012';

describe('The change capture of release 1.0', () => {
  let folder: string;
  let dashboard: DashboardUnderTest;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'capture-'));
    const files = (await readdir(CAPTURE_MIGRATIONS.directory)).filter((file) => file < AFTER_RELEASE_1);
    for (const file of files) await cp(new URL(file, CAPTURE_MIGRATIONS.directory), join(folder, file));
    dashboard = await DashboardUnderTest.start();
    await migrateDatabase(dashboard.url, { ...CAPTURE_MIGRATIONS, directory: pathToFileURL(`${folder}/`) });
    await dashboard.database.raw(
      'select content_sync.ensure_capture(captured, relation) from content_sync.captured_relations()',
    );
  });
  after(() => Promise.all([dashboard.stop(), rm(folder, { recursive: true })]));

  it('is replaced by that of a mapping without a lost change, while the dashboard continues to write', async () => {
    const { database } = dashboard;
    await dashboard.putOwners();
    let isOver = false;
    const written: string[] = [];
    const writer = (async () => {
      for (let n = 0; !isOver || n < 10; n++) {
        await dashboard.putBlog({ id: `blog ${n}` });
        written.push(`blogs blog ${n}`);
      }
    })();
    await migrate({ readDatabaseUrl: await createTestDatabase(), writeDatabaseUrl: dashboard.url }, () => {});
    isOver = true;
    await writer;

    expect(await waitingChanges(database)).to.include.members([...written, 'everything', 'websites web_a']);
    const { rows } = await database.raw(
      `select proname from pg_proc where pronamespace = 'content_sync'::regnamespace and prorettype = 'trigger'::regtype order by 1`,
    );
    expect(rows).to.have.lengthOf(8);
    expect(rows[0].proname).to.equal('capture api_keys');
  });
});
