import { expect } from 'chai';
import type { Knex } from 'knex';
import { openDashboardDatabase } from '../../../../src/adapters/sql/postgres/open-database.js';
import { aCategory } from '../../../../src/contracts/support/rows.js';
import { aSourceBlog, aSourceCategory } from '../../../../src/contracts/support/source-rows.js';
import { putIntoDashboard } from '../../../support/dashboards/dashboard-rows.js';
import { referenceSource } from '../../../support/dashboards/reference-mapping.js';
import { createDashboard } from '../../../support/postgres/migrated-databases.js';

const IGNORING_CASE = `
  create collation ignoring_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
  do $$ declare key record; begin
    for key in select conrelid::regclass as of_table, conname from pg_constraint where contype = 'f' loop
      execute format('alter table %s drop constraint %I', key.of_table, key.conname);
    end loop;
  end $$;
  alter table websites alter id type text collate ignoring_case;
  alter table blogs alter id type text collate ignoring_case, alter website_id type text collate ignoring_case;
  alter table categories alter id type text collate ignoring_case;
  alter table blog_categories alter blog_id type text collate ignoring_case, alter category_id type text collate ignoring_case;
  update blogs set website_id = 'WEB';
  update blog_categories set blog_id = 'BLOG', category_id = 'CAT';`;

describe('References that a nondeterministic collation treats as equal to an id', () => {
  let database: Knex;

  before(async () => {
    database = openDashboardDatabase(await createDashboard());
    await putIntoDashboard(database, 'categories', aSourceCategory({ id: 'cat', websiteId: 'web' }));
    await putIntoDashboard(
      database,
      'blogs',
      aSourceBlog({ id: 'blog', websiteId: 'web', categories: [aCategory({ id: 'cat', websiteId: 'web' })] }),
    );
    await database.raw(IGNORING_CASE);
  });
  after(() => database?.destroy());

  for (const key of ['blog', 'BLOG']) {
    it(`show the row of the id, if its key is ${key}`, async () => {
      const { ids, rows, refused } = await referenceSource(database).read('blogs', [key]);
      expect(refused).to.deep.equal([]);
      expect(ids).to.include.members([key, 'blog']);
      expect(rows.map(({ id, websiteId }) => [id, websiteId])).to.deep.equal([['blog', 'web']]);
      expect(rows[0]?.categories.map(({ id }) => id)).to.deep.equal(['cat']);
    });
  }
});
