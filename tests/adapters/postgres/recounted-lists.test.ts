import { expect } from 'chai';
import knex, { type Knex } from 'knex';
import { PostgresLeadership } from '../../../src/adapters/postgres/postgres-leadership.js';
import { PostgresReadModelWriter } from '../../../src/adapters/postgres/postgres-read-model-writer.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { createReadTables } from '../../support/postgres/migrated-databases.js';

const LIST_COUNTS = `select organization_id, website, term, sum(blogs)::int as blogs from content_read.blog_list_counts group by 1, 2, 3 order by 1, 2, 3`;
const COUNTED = `
  select organization_id, shelf.website, shelf.term, count(*)::int as blogs
  from content_read.blogs cross join lateral content_read.shelves_of(website_id, category_slugs, tag_slugs) as shelf
  group by 1, 2, 3 order by 1, 2, 3`;

describe('The totals of lists', () => {
  let database: Knex;
  let other: Knex;

  before(async () => {
    const url = await createReadTables();
    [database, other] = [
      knex({ client: 'pg', connection: url, pool: { min: 1, max: 1 } }),
      knex({ client: 'pg', connection: url }),
    ];
  });

  after(() => Promise.all([database.destroy(), other.destroy()]));

  const insert = (into: Knex, from: number, to: number, id = 'n::text') =>
    into.raw(
      `insert into content_read.blogs select 'org', ${id}, 'web', '', '', '', null, null, null, null, null, '', 0, 0,
         timestamptz '2026-01-01' + n * interval '1 second', '[]', '[]', '{c}', '{}' from generate_series(?::int, ?::int) as n`,
      [from, to],
    );
  const expectCorrectTotals = async () =>
    expect((await database.raw(LIST_COUNTS)).rows).to.deep.equal((await database.raw(COUNTED)).rows);

  it('are right, including the places of their blocks, if one session cuts a block into which another one writes', async () => {
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
    await expectCorrectTotals();
    expect(await recountAll(1_000)).to.equal(0);
  });

  it('are recounted, and wrong ones are repaired and reported by number', async () => {
    const epoch = (await new PostgresLeadership(database, 'test', 10_000).claim()) ?? 0;
    const writer = new PostgresReadModelWriter(database);
    const progress = { stage: 8, after: 'org', done: 1, total: null };
    const whenCounted = { kind: 'advance', id: 1, progress } as const;
    const recount = (shownGeneration = 0) =>
      writer.write(epoch, {
        slices: [],
        recount: {
          organizations: [{ organizationId: 'org', shownGeneration, whenCounted }],
          stretchSize: 100_000,
        },
        work: [],
      });
    expect(await recount()).to.deep.equal({ changedRows: 0, raised: [] });
    await database.raw(
      `delete from content_read.blog_list_counts where website = '' and term = '' and from_id > ''`,
    );
    await database.raw(`delete from content_read.blog_list_counts where term <> '' and website = ''`);
    await database.raw(
      `insert into content_read.blog_list_counts values ('org', '=gone', '', '-infinity', '', 3), ('org', '', 'tag=gone', '-infinity', '', 1)`,
    );
    const { repairedTotals, raised } = await recount();
    expect(repairedTotals).to.deep.equal([{ organizationId: 'org', totals: 4 }]);
    expect(raised.map(({ organizationId }) => organizationId)).to.deep.equal(['org']);
    await expectCorrectTotals();
    expect(await recount()).to.deep.equal({ changedRows: 0, raised: [] });
    // A generation that was published, and that the read tables have lost.
    const lost = Number(raised[0]?.generation) + 60_000_000;
    expect((await recount(lost)).raised[0]?.generation).to.be.above(lost);
    expect(await recount(lost)).to.deep.equal({ changedRows: 0, raised: [] });
  });

  it('are counted in stretches, and if all are lost, no stretch restores more than its share', async () => {
    await insert(database, 3_001, 9_000);
    await database.raw('delete from content_read.blog_list_counts');
    let stretches = 1;
    expect(await recountAll(1_000, async () => stretches++), 'that were wrong').to.be.above(4);
    expect(stretches).to.be.above(12);
    await expectCorrectTotals();
    const { rows } = await database.raw(
      `select max(blogs)::int as largest from content_read.blog_list_counts where term = ''`,
    );
    expect(rows[0].largest).to.be.at.most(1_024);
    expect(await recountAll(1_000)).to.equal(0);
  });

  describe('in a table without statistics', () => {
    /**
     * Long ids make the indexes that are ordered by them larger than the others. PostgreSQL then estimates the others to
     * be cheaper.
     */
    const ID = `lpad(n::text, 300, '0')`;
    let fresh: Knex;

    before(async () => {
      fresh = knex({ client: 'pg', connection: await createReadTables(), pool: { min: 1, max: 1 } });
      await fresh.raw('alter table content_read.blogs set (autovacuum_enabled = off)');
      for (let from = 1; from < 9_000; from += 1_000) await insert(fresh, from, from + 999, ID);
    });

    after(() => fresh.destroy());

    /** Counted by this session since it last reported its statistics. */
    const READ = `select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where relid = 'content_read.blogs'::regclass`;
    const blogsRead = async (transaction: Knex.Transaction) => (await transaction.raw(READ)).rows[0].read;
    const blogsReadBy = (work: (transaction: Knex.Transaction) => Promise<unknown>) =>
      fresh.transaction(async (transaction) => {
        const before = await blogsRead(transaction);
        await work(transaction);
        return (await blogsRead(transaction)) - before;
      });

    it('are counted without reading more blogs than a stretch has', async () => {
      expect(await blogsReadBy((transaction) => recountOne(transaction, 100))).to.be.within(100, 500);
    });

    it('are compared after the count without reading its first blogs again', async () => {
      await recountOne(fresh, 9_000);
      const { rows } = await fresh.raw('select phase from content_read.recount_progress');
      expect(rows).to.deep.equal([{ phase: 'blocks' }]);
      expect(await blogsReadBy((transaction) => recountOne(transaction, 1_000))).to.be.below(1_500);
    });

    it('are cut into blocks without reading more blogs than a block has', async () => {
      // The commit cuts them. A later trigger of the same transaction records how many blogs were read.
      await fresh.raw(`
        create table public.probe (id integer);
        create table public.noted (read integer);
        create function public.note() returns trigger language plpgsql as $$ begin
          insert into public.noted ${READ};
          return null;
        end $$;
        create constraint trigger note after insert on public.probe deferrable initially deferred for each row execute function public.note()`);
      const before = await fresh.transaction(async (transaction) => {
        const read = await blogsRead(transaction);
        await insert(transaction, 9_001, 10_200, ID);
        await transaction.raw('insert into public.probe values (1)');
        return read;
      });
      const { rows } = await fresh.raw('select read from public.noted');
      // All blogs and those of the website, each in several pieces of 512.
      expect(rows[0].read - before).to.be.within(1_000, 6_000);
    });
  });

  it('stay exact while other sessions write between two stretches, and wrong ones are corrected', async () => {
    await database.raw('delete from content_read.blogs');
    await insert(database, 1, 200);
    const writes = (run: string, n: number) => [
      `insert into content_read.blogs select organization_id, 'new ' || id || ' ${run.length} ${n}', website_id, title, folded_title, slug, excerpt, meta_title,
         meta_description, featured_image_url, featured_image_alt, content_html, word_count, reading_time_minutes, published_at, categories, tags,
         '{c,new}', '{t${n % 3}}' from content_read.blogs where id in ('${n}', '${199 - n}')`,
      `update content_read.blogs set category_slugs = '{moved,c,moved}', website_id = 'other' where id in ('${n + 1}', '${150 - n}')`,
      `update content_read.blogs set published_at = published_at - interval '1 hour', tag_slugs = '{t1}' where id in ('${n + 2}', '${100 - n}')`,
      `delete from content_read.blogs where id in ('${n + 3}', '${60 + n}')`,
    ];
    for (const spoil of ['', `update content_read.blog_list_counts set blogs = blogs + 1 where term <> ''`]) {
      await database.raw(spoil || 'select 1');
      let steps = 0;
      await recountAll(9, async () => {
        for (const write of writes(spoil, steps)) await other.raw(write);
        steps++;
      });
      expect(steps, 'stretches').to.be.above(15);
      await expectCorrectTotals();
    }
    expect(await recountAll(50)).to.equal(0);
    expect((await database.raw('select * from content_read.recounted_lists')).rows).to.deep.equal([]);
  });

  it('continue after an interrupted stretch', async () => {
    await recountOne(database, 9);
    const broken = await database.transaction();
    await recountOne(broken, 9);
    await broken.rollback();
    expect(await recountAll(9)).to.equal(0);
  });

  async function recountOne(on: Knex, most: number): Promise<{ wrong: number; isOver: boolean }> {
    const { rows } = await on.raw(
      `select wrong::int, is_over as "isOver" from content_read.recount('org', ?)`,
      [most],
    );
    return rows[0];
  }

  /** Returns how many were wrong. */
  async function recountAll(most: number, between = async (): Promise<unknown> => null): Promise<number> {
    for (let wrong = 0; ; ) {
      const stretch = await recountOne(database, most);
      wrong += stretch.wrong;
      if (stretch.isOver) return wrong;
      await between();
    }
  }
});
