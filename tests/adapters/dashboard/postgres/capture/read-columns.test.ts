import { expect } from 'chai';
import type { Knex } from 'knex';
import type { DashboardMapping } from '../../../../../src/adapters/dashboard/mapping/dashboard-mapping.js';
import { captureState } from '../../../../../src/adapters/dashboard/postgres/capture/capture-state.js';
import { openDashboardDatabase } from '../../../../../src/adapters/sql/postgres/open-database.js';
import { createTestDatabase } from '../../../../support/postgres/test-postgres.js';

const TABLES = `
  create table posts (id text, title text, "Full Text" text, extra text);
  create table seen_by_view (id text, headline text);
  create view live as select id, headline as title from seen_by_view;
  create table seen_by_function (id text, name text);
  create function public.name_of(wanted text) returns text stable language sql
    as 'select name from public.seen_by_function where id = wanted';`;

const rewritten = (table: string, column: string) =>
  `alter table ${table} alter column ${column} type text using upper(${column})`;

/** The blogs of a mapping, DDL of the dashboard, and whether everything has to be read again. */
const CASES: Readonly<Record<string, readonly [blogs: string, ddl: string, isChange: boolean]>> = {
  'a column that is named': ['select id, Title from public.posts', rewritten('posts', 'title'), true],
  'a column that is named in quotes': [
    'select id, "Full Text" as title from public.posts',
    rewritten('posts', '"Full Text"'),
    true,
  ],
  'a column that is not named': ['select id, title from public.posts', rewritten('posts', 'extra'), false],
  'a new column': ['select id, title from public.posts', 'alter table posts add column more text', false],
  'a new column of rows that are read as a whole': [
    'select posts.* from public.posts',
    'alter table posts add column more text',
    true,
  ],
  'a column of rows that are read as JSON': [
    `select id, to_jsonb(posts)::text as title from public.posts`,
    rewritten('posts', 'extra'),
    true,
  ],
  'a column that only a view names': [
    'select id, title from public.live',
    'drop view live; alter table seen_by_view alter column headline type varchar(9) using upper(headline); create view live as select id, headline as title from seen_by_view',
    true,
  ],
  'a column that only a function names': [
    'select id, public.name_of(id) as title from public.posts',
    rewritten('seen_by_function', 'name'),
    true,
  ],
};

describe('A change of a table of the dashboard in PostgreSQL, of', () => {
  let database: Knex;

  beforeEach(async () => {
    database = openDashboardDatabase(await createTestDatabase());
    await database.raw(TABLES);
  });
  afterEach(() => database?.destroy());

  for (const [what, [blogs, ddl, isChange]] of Object.entries(CASES)) {
    it(`${what} ${isChange ? 'is' : 'is not'} noticed`, async () => {
      const mapping: DashboardMapping = {
        timeZone: null,
        selects: { blogs } as DashboardMapping['selects'],
        hasManagedKeys: false,
        captures: ['posts', 'seen_by_view', 'seen_by_function'].map((table) => ({
          table: `public.${table}`,
          touches: { blogs: 'id' },
        })),
      };
      const { seen } = await captureState(database, mapping);
      await database.raw(ddl);
      const { seen: seenLater } = await captureState(database, mapping);
      expect(JSON.stringify(seenLater) !== JSON.stringify(seen)).to.equal(isChange);
    });
  }
});
