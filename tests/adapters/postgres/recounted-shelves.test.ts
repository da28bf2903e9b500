import { expect } from 'chai';
import knex, { type Knex } from 'knex';
import { migrateDatabase } from '../../../src/adapters/postgres/migrate-database.js';
import { PostgresLeadership } from '../../../src/adapters/postgres/postgres-leadership.js';
import { PostgresReadModelWriter } from '../../../src/adapters/postgres/postgres-read-model-writer.js';
import { READ_MIGRATIONS } from '../../../src/composition/project-folders.js';
import { eventually } from '../../support/eventually.js';
import { createTestDatabase } from '../../support/test-postgres.js';

const SHELVES = `select organization_id, website, term, sum(blogs)::int as blogs from content_read.blog_shelves group by 1, 2, 3 order by 1, 2, 3`;
const COUNTED = `
  select organization_id, shelf.website, shelf.term, count(*)::int as blogs
  from content_read.blogs cross join lateral content_read.shelves_of(website_id, category_slugs, tag_slugs) as shelf
  group by 1, 2, 3 order by 1, 2, 3`;

describe('The totals of lists', () => {
  let database: Knex;
  let other: Knex;

  before(async () => {
    const url = await createTestDatabase();
    await migrateDatabase(url, READ_MIGRATIONS);
    [database, other] = [
      knex({ client: 'pg', connection: url, pool: { min: 1, max: 1 } }),
      knex({ client: 'pg', connection: url }),
    ];
  });

  after(() => Promise.all([database.destroy(), other.destroy()]));

  const insert = (into: Knex, from: number, to: number) =>
    into.raw(
      `insert into content_read.blogs select 'org', n::text, 'web', '', '', '', null, null, null, null, null, '', 0, 0,
         timestamptz '2026-01-01' + n * interval '1 second', '[]', '[]', '{c}', '{}' from generate_series(?::int, ?::int) as n`,
      [from, to],
    );
  const expectRight = async () =>
    expect((await database.raw(SHELVES)).rows).to.deep.equal((await database.raw(COUNTED)).rows);

  it('are right, and so are the places of their blocks, where one session cuts a block into which another writes', async () => {
    await insert(database, 1, 1_000);
    const [first, second] = [await database.transaction(), await other.transaction()];
    await insert(first, 1_001, 1_100);
    const waiting = insert(second, 2_001, 2_005).then(() => second.commit());
    await eventually(async () => {
      const { rows } = await other.raw(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(rows).not.to.deep.equal([]);
    });
    await first.commit();
    await waiting;
    await expectRight();
    const { rows } = await database.raw(`select content_read.recount_shelves('org')::int as wrong`);
    expect(rows).to.deep.equal([{ wrong: 0 }]);
  });

  it('are counted anew, and those that are wrong are mended and told by number', async () => {
    const epoch = (await new PostgresLeadership(database, 'test', 10_000).claim()) ?? 0;
    const writer = new PostgresReadModelWriter(database);
    const recount = () => writer.write(epoch, { slices: [], recount: 'org', work: [], raiseAll: false });
    expect(await recount()).to.deep.equal({ changedRows: 0, raised: [] });
    await database.raw(`update content_read.blog_shelves set blogs = blogs + 7 where term = ''`);
    await database.raw(`delete from content_read.blog_shelves where term <> '' and website = ''`);
    await database.raw(
      `insert into content_read.blog_shelves values ('org', '=gone', '', '-infinity', '', 3)`,
    );
    const { repairedTotals, raised } = await recount();
    expect(repairedTotals).to.equal(4);
    expect(raised.map(({ organizationId }) => organizationId)).to.deep.equal(['org']);
    await expectRight();
    expect(await recount()).to.deep.equal({ changedRows: 0, raised: [] });
  });
});
