import { expect } from 'chai';
import fc from 'fast-check';
import type { Knex } from 'knex';
import { PrimaryContent } from '../../../src/adapters/postgres/content-database.js';
import { PostgresBlogReader } from '../../../src/adapters/postgres/postgres-blog-reader.js';
import { aBlog } from '../../../src/contracts/support/rows.js';
import type { BlogRow } from '../../../src/domain/model/read-model.js';
import { newestFirst } from '../../../src/domain/policies/ordering.js';
import { foldCase } from '../../../src/domain/policies/text-folding.js';
import type { BlogCriteria } from '../../../src/domain/ports/blog-reader.js';
import { leadingWriter } from '../../support/postgres/leading-writer.js';
import { sharedReadTables } from '../../support/postgres/read-tables.js';

const EVERYTHING: BlogCriteria = {
  websiteId: null,
  categorySlug: null,
  tagSlug: null,
  foldedTitlePart: null,
};
const MANY = 60;

const term = (slug: string) => ({ id: `term ${slug}`, name: slug, slug });

const blog = fc
  .record({
    n: fc.nat(MANY),
    organizationId: fc.constantFrom('org_a', 'org_b'),
    websiteId: fc.constantFrom('', 'web_1', 'web_2'),
    publishedAt: fc.nat(9).map((day) => Date.UTC(2026, 0, day)),
    title: fc.string({ unit: fc.constantFrom('a', 'B', 'é', '\u{1f600}', ' ', 'ß'), maxLength: 14 }),
    // Some titles are half as long as a pack.
    longer: fc.constantFrom('', '', '', '.'.repeat(2_700)),
    categories: fc.array(fc.constantFrom('', 'one', 'two'), { maxLength: 3 }),
    tags: fc.array(fc.constantFrom('', 'one'), { maxLength: 2 }),
  })
  .map(({ n, title, longer, categories, tags, ...given }) =>
    aBlog({
      ...given,
      id: `blog_${n}`,
      title: title + longer,
      categories: categories.map(term),
      tags: tags.map(term),
    }),
  );

const write = fc.record({
  blogs: fc.uniqueArray(blog, { selector: ({ id }) => id, minLength: 1, maxLength: 40, size: 'max' }),
  deleted: fc.uniqueArray(
    fc.nat(MANY).map((n) => `blog_${n}`),
    { maxLength: 20, size: 'max' },
  ),
});

/** Without the empty strings before the first separator and after the last one. */
const TITLES_OF = (text: string) => `array(
  select title from unnest(string_to_array(${text}, content_read.title_separator())) with ordinality as listed (title, place)
  where place between 2 and length(${text}) - length(replace(${text}, content_read.title_separator(), '')) order by title)`;

/** Rows that do not match the blogs. */
const DIFFERENCES = {
  'entries of terms': `
    select * from (
      select distinct organization_id, 'category=' || each as term, website_id, published_at, id from content_read.blogs, unnest(category_slugs) as each
      union select organization_id, 'tag=' || each, website_id, published_at, id from content_read.blogs, unnest(tag_slugs) as each
    ) as due full join content_read.term_entries as present using (organization_id, term, website_id, published_at, id)
    where due is null or present is null`,
  'entries of blogs': `
    select * from content_read.blogs as due full join content_read.blog_entries as present
      using (organization_id, id, website_id, published_at, folded_title, category_slugs, tag_slugs)
    where due is null or present is null`,
  letters: `
    select * from content_read.blog_entries
    where array(select distinct letter from unnest(string_to_array(letters, null)) as letter order by 1)
        <> array(select distinct letter from unnest(string_to_array(folded_title, null)) as letter order by 1)
      or letters like '%aa%'`,
  repetitions: `
    select * from content_read.blog_entries
    where repeats <> (length(folded_title) > 500 or exists (
      select from generate_series(1, length(folded_title) - 3) as place
      where strpos(substr(folded_title, place + 1), substr(folded_title, place, 3)) > 0))`,
  // Each as often as it occurs, in any order.
  packs: `
    select * from (
      select organization_id, website_id, pack, count(*)::int as blogs,
        coalesce(array_agg(folded_title order by folded_title) filter (where not repeats), '{}') as titles,
        coalesce(array_agg(folded_title order by folded_title) filter (where repeats), '{}') as repetitive,
        sum(length(letters)) as letters
      from content_read.blog_entries group by 1, 2, 3
    ) as due full join (
      select organization_id, website_id, pack, blogs,
        ${TITLES_OF('titles')} as titles, ${TITLES_OF('repetitive_titles')} as repetitive, length(letters) as letters
      from content_read.title_packs
    ) as present using (organization_id, website_id, pack, blogs, titles, repetitive, letters)
    where due is null or present is null`,
  'packs that are counted': `
    select * from content_read.title_packs full join content_read.pack_counts as counts using (organization_id, website_id, pack, blogs)
    where title_packs is null or counts is null`,
  counts: `
    select * from content_read.pack_counts as counts cross join lateral jsonb_each_text(titles_with) as counted (part, titles)
    where titles::int <> (
      select count(*) from content_read.blog_entries as entry
      where (entry.organization_id, entry.website_id, entry.pack) = (counts.organization_id, counts.website_id, counts.pack)
        and strpos(folded_title, part) > 0)`,
  'letters that are not counted': `
    select * from content_read.blog_entries join content_read.pack_counts using (organization_id, website_id, pack)
      cross join lateral unnest(string_to_array(letters, null)) as letter
    where ascii(letter) between 32 and 126 and not jsonb_exists(titles_with, letter)`,
  'packs that are not counted, and not the last ones': `
    select * from content_read.pack_counts as uncounted
    where titles_with is null and exists (
      select from content_read.pack_counts as later
      where (later.organization_id, later.website_id) = (uncounted.organization_id, uncounted.website_id) and later.pack > uncounted.pack)`,
  'packs that are too full': `
    select * from content_read.title_packs where blogs > 1 and octet_length(titles) + octet_length(repetitive_titles) > 5500 + 2800`,
};

describe('The tables from which lists and searches are read', () => {
  const readTables = sharedReadTables();

  const apply = (blogs: readonly BlogRow[], deleted: readonly string[] = []) =>
    leadingWriter(readTables()).replace({
      kind: 'blogs',
      ids: [...new Set([...blogs.map(({ id }) => id), ...deleted])],
      rows: blogs,
    });

  async function expectNoDifference(database: Knex): Promise<void> {
    for (const [what, sql] of Object.entries(DIFFERENCES)) {
      expect((await database.raw(sql)).rows, what).to.deep.equal([]);
    }
  }

  afterEach(() => readTables().raw('truncate content_read.blogs, content_read.hidden_websites'));

  it('match the blogs after any writes, moves and deletions', async () => {
    const verify = async (writes: readonly { blogs: readonly BlogRow[]; deleted: readonly string[] }[]) => {
      for (const { blogs, deleted } of writes) {
        await apply(blogs, deleted);
        await expectNoDifference(readTables());
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 4 }), verify), {
      numRuns: 20,
    });
  });

  for (const emptying of ['truncate content_read.blogs', 'delete from content_read.blogs']) {
    it(`are empty after the last blog is deleted: ${emptying}`, async () => {
      await apply(
        Array.from({ length: 20 }, (_, n) => aBlog({ id: `blog_${n}`, categories: [term('one')] })),
      );
      await readTables().raw(emptying);
      for (const table of ['term_entries', 'blog_entries', 'title_packs', 'pack_counts']) {
        expect(await readTables().withSchema('content_read').from(table)).to.deep.equal([]);
      }
    });
  }

  it('return the pages of a category and of a tag, also far ones and those within a website', async () => {
    const blogs = Array.from({ length: 2_600 }, (_, n) =>
      aBlog({
        id: `blog_${n}`,
        organizationId: 'org_a',
        websiteId: `web_${n % 3 === 0 ? 1 : 2}`,
        publishedAt: Date.UTC(2026, 0, n % 28),
        categories: n % 11 === 0 ? [] : [term('one')],
        tags: n % 13 === 0 ? [] : [term('one')],
      }),
    );
    await apply(blogs.filter((_, n) => n % 2 === 0));
    await apply(blogs.filter((_, n) => n % 2 === 1));
    for (const criteria of [
      { categorySlug: 'one' },
      { tagSlug: 'one' },
      { categorySlug: 'one', websiteId: 'web_2' },
      { tagSlug: 'one', websiteId: 'web_2' },
    ]) {
      const { rows } = await readTables().raw(
        'select count(*)::int as blocks from content_read.blog_list_counts where term = ? and website = ? and blogs > 0',
        [
          'categorySlug' in criteria ? 'category=one' : 'tag=one',
          criteria.websiteId === undefined ? '' : '=web_2',
        ],
      );
      expect(rows[0].blocks).to.be.at.least(2);
      const matching = blogs
        .filter(
          ({ websiteId, categories, tags }) =>
            (criteria.websiteId ?? websiteId) === websiteId &&
            ('categorySlug' in criteria ? categories : tags).length > 0,
        )
        .toSorted(newestFirst)
        .map(({ id }) => id);
      for (const offset of [0, 511, 700, 1_023, 1_030, matching.length - 7, matching.length]) {
        const found = await new PostgresBlogReader(new PrimaryContent(readTables())).list(
          'org_a',
          { ...EVERYTHING, ...criteria },
          { offset, limit: 9 },
        );
        expect(found.total).to.equal(matching.length);
        expect(found.blogs.map(({ id }) => id)).to.deep.equal(matching.slice(offset, offset + 9));
      }
    }
  });

  /** As in an organization with a million blogs: some of its packs are samples of how much a search finds. */
  const sampleEachPack = () =>
    readTables().raw(`
      update content_read.blog_entries set pack = pack * 128 + 64;
      update content_read.title_packs set pack = pack * 128 + 64;
      update content_read.pack_counts set pack = pack * 128 + 64`);

  it('count the words that many titles of a pack have, and those beginnings of words that nothing else has', async () => {
    const titles = ['Lighthouse keepers', 'Night light', 'Lighthouse keeper', 'Lighthouse', 'Night keeper'];
    await apply(titles.map((title, n) => aBlog({ id: `blog_${n}`, title })));
    await apply([aBlog({ id: 'as long as a pack', title: '.'.repeat(5_500) })]);
    await apply([aBlog({ id: 'in the next pack', title: '' })]);
    const { rows } = await readTables().raw('select titles_with from content_read.pack_counts order by pack');
    const words = Object.entries(rows[0].titles_with).filter(([part]) => part.length > 1);
    const from = (shortest: string, word: string, titlesWithIt: number) =>
      Array.from({ length: word.length - shortest.length + 1 }, (_, n) => [
        word.slice(0, shortest.length + n),
        titlesWithIt,
      ]);
    expect(Object.fromEntries(words)).to.deep.equal(
      Object.fromEntries([
        ...from('lighth', 'lighthouse', 3),
        ...from('kee', 'keeper', 3),
        ...from('nig', 'night', 2),
      ]),
    );
  });

  it('return the far pages of a search that finds many', async () => {
    const blogs = Array.from({ length: 2_600 }, (_, n) =>
      aBlog({
        id: `blog_${n}`,
        organizationId: 'org_a',
        publishedAt: Date.UTC(2026, 0, n % 28),
        title: `Lighthouse ${n}`,
      }),
    );
    await apply(blogs);
    await sampleEachPack();
    const sorted = blogs.toSorted(newestFirst).map(({ id }) => id);
    for (const part of ['lighthouse', 'ou']) {
      const criteria = { ...EVERYTHING, foldedTitlePart: part };
      const found = await new PostgresBlogReader(new PrimaryContent(readTables())).list('org_a', criteria, {
        offset: 2_550,
        limit: 9,
      });
      expect(found.total).to.equal(2_600);
      expect(found.blogs.map(({ id }) => id)).to.deep.equal(sorted.slice(2_550, 2_559));
    }
  });

  for (const [search, finds] of [
    ['harbor', 'few'],
    ['lighthouse', 'many'],
    ['house', 'many, some of them twice'],
    ['light', 'many, by the beginning of a word'],
    ['lighthouse n', 'nothing, although each letter and word occurs'],
    ['e h', 'some, across two words'],
    ['jigsaw', 'nothing, by letters that no title has'],
    ['ou', 'many, by two letters'],
    ['k', 'many, by one letter'],
    ['q', 'few, by one letter'],
    ['ж', 'few, by a letter of two bytes'],
    ['%_', 'few, literally'],
    ['nowhere', 'nothing'],
    ['οδ', 'many, by letters of two bytes'],
  ] as const) {
    it(`find "${search}" (${finds}) on every page, also within a website and while a website is hidden`, async () => {
      const blogs = Array.from({ length: 900 }, (_, n) =>
        aBlog({
          id: `blog_${n}`,
          organizationId: 'org_a',
          websiteId: `web_${n % 3}`,
          publishedAt: Date.UTC(2026, 0, n % 28),
          title: [
            'No',
            n,
            n % 5 === 0 ? 'Lighthouse' : '',
            n % 20 === 0 ? 'House HOUSE ΟΔΟΣ' : n % 7 === 0 ? 'ΟΔΟΣ' : '',
            n % 100 === 7 ? 'Harbor quay ж %_' : '',
            n % 3 === 0 ? 'kk Kk' : '',
          ].join(' '),
        }),
      );
      await apply(blogs.slice(0, 500));
      await apply(blogs.slice(500));
      await sampleEachPack();
      const part = foldCase(search);
      const reader = new PostgresBlogReader(new PrimaryContent(readTables()));
      for (const hidden of [null, 'web_1']) {
        await readTables().raw(`delete from content_read.hidden_websites`);
        if (hidden !== null) {
          await readTables().raw(`insert into content_read.hidden_websites values ('org_a', ?)`, [hidden]);
        }
        for (const websiteId of [null, 'web_0', 'web_1']) {
          const matching = blogs
            .filter((each) => each.foldedTitle.includes(part) && each.websiteId !== hidden)
            .filter((each) => (websiteId ?? each.websiteId) === each.websiteId)
            .toSorted(newestFirst)
            .map(({ id }) => id);
          for (const offset of [0, 3, 60, matching.length, 5_000]) {
            const criteria = { ...EVERYTHING, websiteId, foldedTitlePart: part };
            const found = await reader.list('org_a', criteria, { offset, limit: 9 });
            expect(found.total, `hidden ${hidden}, website ${websiteId}`).to.equal(matching.length);
            expect(found.blogs.map(({ id }) => id)).to.deep.equal(matching.slice(offset, offset + 9));
          }
        }
      }
      await readTables().raw(`delete from content_read.hidden_websites`);
    });
  }
});
