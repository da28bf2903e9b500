import { readdir, readFile } from 'node:fs/promises';
import * as mocha from 'mocha';
import { MappedContentSource } from '../../../src/adapters/dashboard/source/mapped-content-source.js';
import { openDashboardDatabase } from '../../../src/adapters/sql/postgres/open-database.js';
import { DASHBOARD_MIGRATIONS } from '../../../src/composition/project-folders.js';
import { contentSourceContract } from '../../../src/contracts/dashboard/content-source.contract.js';
import { NativeIds } from '../../contracts/native-ids.js';
import { putIntoDashboard, removeFromDashboard } from '../../support/dashboards/dashboard-rows.js';
import { referenceSource } from '../../support/dashboards/reference-mapping.js';
import { sharedDatabase } from '../../support/postgres/read-tables.js';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';

const ID_COLUMNS = /\b(id|organization_id|website_id|parent_id|blog_id|category_id|tag_id) text\b/g;

const TYPES = {
  bigint: (n: number) => String(10 ** 12 + n),
  uuid: (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
} as const;

for (const [type, write] of Object.entries(TYPES)) {
  describe(`On PostgreSQL, with ids of the type ${type},`, () => {
    const database = sharedDatabase(async () => {
      const opened = openDashboardDatabase(await createTestDatabase());
      const { directory } = DASHBOARD_MIGRATIONS;
      for (const file of (await readdir(directory)).sort()) {
        const schema = await readFile(new URL(file, directory), 'utf8');
        await opened.raw(schema.replaceAll(ID_COLUMNS, `$1 ${type}`));
      }
      return opened;
    });
    const ids = new NativeIds(write);

    contentSourceContract(mocha, MappedContentSource, async () => ({
      subject: ids.around(referenceSource(database())),
      put: (kind, row) => putIntoDashboard(database(), kind, ids.native(row)),
      remove: (kind, id) => removeFromDashboard(database(), kind, ids.native(id)),
    }));
  });
}
