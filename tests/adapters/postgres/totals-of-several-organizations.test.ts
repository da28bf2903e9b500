import { expect } from 'chai';
import type { Knex } from 'knex';
import { PostgresLeadership } from '../../../src/adapters/postgres/postgres-leadership.js';
import { PostgresReadModelWriter } from '../../../src/adapters/postgres/postgres-read-model-writer.js';
import { sharedReadTables } from '../../support/postgres/read-tables.js';

const ORGANIZATIONS = ['a', 'b', 'c', 'd'];
/** The first organization has this many, the second twice as many, and so on. */
const BLOGS = 10;
/** Enough to finish `b`, but not `c`. */
const STRETCH = 95;
const WRONG = `
  select stored.organization_id from content_read.blog_list_counts as stored
  group by organization_id, website, term
  having sum(blogs) <> (
    select count(*) from content_read.blogs as blog
      cross join lateral content_read.shelves_of(website_id, category_slugs, tag_slugs) as shelf
    where blog.organization_id = stored.organization_id and (shelf.website, shelf.term) = (stored.website, stored.term))`;

describe('The totals of several organizations', () => {
  const readTables = sharedReadTables();
  let database: Knex;
  let writer: PostgresReadModelWriter;
  let epoch: number;
  let jobId: number;

  /** With the generations that other programs see. */
  const recount = (stretchSize: number, shown: Readonly<Record<string, number>>) =>
    writer.write(epoch, {
      slices: [],
      recount: {
        organizations: Object.entries(shown).map(([organizationId, shownGeneration]) => ({
          organizationId,
          shownGeneration,
          whenCounted: {
            kind: 'advance',
            id: jobId,
            progress: { stage: 8, after: organizationId, done: 0, total: null },
          },
        })),
        stretchSize: stretchSize,
      },
      work: [],
    });
  const place = async () =>
    (await database('content_read.sync_jobs').where({ id: jobId }).pluck('progress'))[0]?.after;
  const generations = async (): Promise<Readonly<Record<string, number>>> => {
    const rows = await database('content_read.organizations');
    return Object.fromEntries(rows.map((row) => [row.organization_id, Number(row.generation)]));
  };
  const beingCounted = () => database('content_read.recount_progress').pluck('organization_id');
  const wrong = async () => (await database.raw(WRONG)).rows;
  const spoil = (organizationId: string) =>
    database.raw(
      `update content_read.blog_list_counts set blogs = blogs + 1 where organization_id = ? and website = ''`,
      organizationId,
    );

  beforeEach(async () => {
    database = readTables();
    await database.raw('truncate content_read.blogs; delete from content_read.organizations');
    await database.raw(
      `insert into content_read.blogs select organization, organization || n, 'web', '', '', '', null, null, null, null, null, '', 0, 0,
         timestamptz '2026-01-01' + n * interval '1 second', '[]', '[]', '{c}', '{}'
       from unnest(?::text[]) with ordinality as asked (organization, place), generate_series(1, ${BLOGS} * place) as n`,
      [ORGANIZATIONS],
    );
    epoch = (await new PostgresLeadership(database, 'test', 10_000).claim()) ?? 0;
    writer = new PostgresReadModelWriter(database);
    await writer.write(epoch, { slices: [], work: [], raise: ORGANIZATIONS });
    await database('content_read.sync_jobs').update({ progress: null });
    [jobId] = await database('content_read.sync_jobs').where({ scope: 'everything' }).pluck('id');
  });

  it('are counted in one step; each organization with wrong totals is reported, and no other generation is raised', async () => {
    await spoil('b');
    await database.raw(`delete from content_read.blog_list_counts where organization_id = 'd'`);
    const { repairedTotals, raised } = await recount(1_000, { a: 0, b: 0, c: 0, d: 0 });
    expect(repairedTotals).to.deep.equal([
      { organizationId: 'b', totals: 2 },
      { organizationId: 'd', totals: 4 },
    ]);
    expect(raised.map(({ organizationId }) => organizationId)).to.have.members(['b', 'd']);
    expect(await wrong()).to.deep.equal([]);
    expect(await place()).to.equal('d');
    expect(await recount(1_000, { a: 0, b: 0, c: 0, d: 0 })).to.deep.equal({ changedRows: 0, raised: [] });
  });

  it('raise each lost generation above the value that was published, and no other', async () => {
    const { c: known = 0 } = await generations();
    const [lost, lostToo] = [known + 60_000_000, known + 120_000_000];
    const { raised } = await recount(1_000, { a: lostToo, b: lost, c: known, d: 0 });
    expect(raised).to.have.deep.members([
      { organizationId: 'a', generation: lostToo + 1 },
      { organizationId: 'b', generation: lost + 1 },
    ]);
  });

  it('continue with the first organization that takes more than a stretch, after the finished ones', async () => {
    await recount(STRETCH, { a: 0, b: 0, c: 0, d: 0 });
    expect(await place()).to.equal('b');
    expect(await beingCounted()).to.deep.equal(['c']);
    await recount(STRETCH, { c: 0, d: 0 });
    expect(await place()).to.equal('c');
    expect(await beingCounted()).to.deep.equal(['d']);
    await recount(STRETCH, { d: 0 });
    expect(await place()).to.equal('d');
    expect(await beingCounted()).to.deep.equal([]);
  });

  it('are counted separately for an organization whose count has begun, however few blogs it has', async () => {
    await database('content_read.recount_progress').insert({ organization_id: 'b' });
    expect(await writer.nextOrganizations(null, 4, 1_000)).to.deep.equal(['a']);
    expect(await writer.nextOrganizations('a', 4, 1_000)).to.deep.equal(['b']);
    expect(await writer.nextOrganizations('b', 4, 1_000)).to.deep.equal(['c', 'd']);
  });

  it('keep nothing of an interrupted step: no repair, no generation, no place', async () => {
    await spoil('a');
    await database.raw(`
      create function trouble() returns trigger language plpgsql as $$ begin raise exception 'trouble'; end $$;
      create trigger trouble before insert on content_read.recount_progress for each row when (new.organization_id = 'c')
        execute function trouble()`);
    const before = [await place(), await generations()];
    const failure = await recount(1_000, { a: 0, b: 0, c: 0 }).catch((error: unknown) => error);
    await database.raw('drop function trouble() cascade');
    expect(failure).to.be.instanceOf(Error).with.property('message').that.includes('trouble');
    expect([await place(), await generations()]).to.deep.equal(before);
    expect((await recount(1_000, { a: 0, b: 0, c: 0 })).repairedTotals).to.deep.equal([
      { organizationId: 'a', totals: 2 },
    ]);
    expect(await wrong()).to.deep.equal([]);
  });
});
