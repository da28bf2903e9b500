import { expect } from 'chai';
import {
  type CapturedTable,
  withManagedKeys,
} from '../../../../../src/adapters/dashboard/mapping/dashboard-mapping.js';
import { tablesOfWorker } from '../../../../../src/adapters/dashboard/postgres/checks/tables-in.js';
import { shownTable } from '../../../../../src/adapters/dashboard/postgres/read/quoted.js';
import { WORDS } from '../../../../../src/adapters/dashboard/postgres/words.js';
import { openDashboardDatabase } from '../../../../../src/adapters/sql/postgres/open-database.js';
import { REFERENCE } from '../../../../support/dashboards/reference-mapping.js';
import { createDashboard } from '../../../../support/postgres/migrated-databases.js';

describe('The tables that the worker reads in PostgreSQL', () => {
  it('are the tables and views that the selects, captures and keys name, each once', async () => {
    const database = openDashboardDatabase(await createDashboard());
    await database.raw(`create table notes (blog text, tag text); create view noted as select * from notes;
      create schema shop; create view shop."Live" as select * from blogs where status = 'published'`);
    const captures: readonly CapturedTable[] = [
      { table: 'public.tags', touches: { blogs: 'select blog from public.noted where tag = changed.id' } },
      { table: 'public.blogs', touches: { blogs: 'id' } },
      { table: 'public.websites', touches: 'everything' },
    ];
    const blogs = 'with live as (select * from shop."Live") select id, website_id from live -- all';
    const selects = { ...REFERENCE.selects, categories: null, blog_categories: null, api_keys: null, blogs };
    const mapping = withManagedKeys(
      { ...REFERENCE, captures, selects, hasManagedKeys: true },
      WORDS.managedKeys,
    );
    const tables = await tablesOfWorker(database, mapping);
    const left = await database.raw(`select to_regnamespace('content_keys') as keys`);
    await database.destroy();
    expect(tables.map(shownTable)).to.eql([
      'content_keys.api_keys',
      ...['blog_tags', 'blogs', 'noted', 'organizations', 'tags', 'websites'],
      'shop.Live',
    ]);
    expect(left.rows).to.eql([{ keys: null }]);
  });
});
