import { expect } from 'chai';
import type { CapturedTable } from '../../../../../src/adapters/dashboard/mapping/dashboard-mapping.js';
import { tablesOfWorker } from '../../../../../src/adapters/dashboard/postgres/checks/tables-in.js';
import { shownTable } from '../../../../../src/adapters/dashboard/postgres/read/quoted.js';
import { openDashboardDatabase } from '../../../../../src/adapters/sql/postgres/open-database.js';
import { REFERENCE } from '../../../../support/dashboards/reference-mapping.js';
import { createDashboard } from '../../../../support/postgres/migrated-databases.js';

describe('The tables that the worker reads in PostgreSQL', () => {
  it('are those of the captures and those of keys that are selects, each once', async () => {
    const database = openDashboardDatabase(await createDashboard());
    await database.raw('create table notes (blog text, tag text); create view noted as select * from notes');
    const captures: readonly CapturedTable[] = [
      { table: 'public.tags', touches: { blogs: 'select blog from public.noted where tag = changed.id' } },
      { table: 'public.blogs', touches: { blogs: 'id' } },
      { table: 'public.websites', touches: 'everything' },
    ];
    const tables = await tablesOfWorker(database, { ...REFERENCE, captures });
    await database.destroy();
    expect(tables.map(shownTable)).to.eql(['tags', 'blogs', 'websites', 'notes']);
  });
});
