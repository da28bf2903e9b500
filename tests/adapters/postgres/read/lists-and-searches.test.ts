import { expect } from 'chai';
import fc from 'fast-check';
import type { Knex } from 'knex';
import { PostgresBlogReader } from '../../../../src/adapters/postgres/read/postgres-blog-reader.js';
import { aBlog } from '../../../../src/contracts/support/rows.js';
import type { BlogRow } from '../../../../src/domain/model/read-model.js';
import { newestFirst } from '../../../../src/domain/policies/ordering.js';
import { foldCase } from '../../../../src/domain/policies/text-folding.js';
import type { BlogCriteria } from '../../../../src/domain/ports/reading/blog-reader.js';
import { leadingWriter } from '../../../support/postgres/leading-writer.js';
import { sharedReadTables } from '../../../support/postgres/read-tables.js';
import { insertBlogs } from '../insert-blogs.js';

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
    title: fc.string({ unit: fc.constantFrom('a', 'B', '\u{1f600}', ' '), maxLength: 14 }),
    categories: fc.array(fc.constantFrom('', 'one', 'two'), { maxLength: 3 }),
    tags: fc.array(fc.constantFrom('', 'one'), { maxLength: 2 }),
  })
  .map(({ n, title, categories, tags, ...given }) =>
    aBlog({
      ...given,
      id: `blog_${n}`,
      title,
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

/** Rows that do not match the blogs. */
const TERMS = `
  array(select distinct 'category=' || (term ->> 'slug') from jsonb_array_elements(categories) as term
    union select 'tag=' || (term ->> 'slug') from jsonb_array_elements(tags) as term)`;
const DUE = `(
  select organization_id, id, website_id, published_at, term from content_read.blogs cross join unnest(${TERMS} || ''::text) as term)`;
const DIFFERENCES = {
  titles: `
    select * from (select *, ${TERMS} as in_any_order from content_read.blogs) as due
      full join content_read.titles as present using (organization_id, id, website_id, published_at)
    where due is null or present is null or lower(due.title) <> folded_title
      or not (in_any_order @> terms and terms @> in_any_order and cardinality(terms) = cardinality(in_any_order))`,
  'list entries': `
    select * from ${DUE} as due full join content_read.list_entries as present using (organization_id, term, website_id, published_at, id)
    where due is null or present is null`,
  'list totals': `
    select * from (
      select organization_id, term, website, count(*) as blogs
      from ${DUE} as due cross join lateral (values (''), ('=' || website_id)) as list (website) group by 1, 2, 3
    ) as due full join (select * from content_read.list_totals where blogs <> 0) as present using (organization_id, term, website)
    where due.blogs is distinct from present.blogs`,
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

  afterEach(() =>
    readTables().raw(
      'truncate content_read.blogs, content_read.titles, content_read.list_entries, content_read.list_totals, content_read.hidden_websites',
    ),
  );

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
      const matching = blogs
        .filter(
          ({ websiteId, categories, tags }) =>
            (criteria.websiteId ?? websiteId) === websiteId &&
            ('categorySlug' in criteria ? categories : tags).length > 0,
        )
        .toSorted(newestFirst)
        .map(({ id }) => id);
      for (const offset of [
        0,
        511,
        Math.ceil(matching.length / 2),
        matching.length - 20,
        matching.length - 7,
        matching.length,
      ]) {
        const found = await new PostgresBlogReader(readTables()).list(
          'org_a',
          { ...EVERYTHING, ...criteria },
          { offset, limit: 9 },
        );
        expect(found.total).to.equal(matching.length);
        expect(found.blogs.map(({ id }) => id)).to.deep.equal(matching.slice(offset, offset + 9));
      }
    }
  });

  it('return each page of a search that finds too many to sort them', async () => {
    // Fewer on newer days, and many on the oldest one.
    const day = 'least(floor(sqrt(n)), 80)::int';
    await insertBlogs(
      readTables(),
      `select 'blog_' || lpad(n::text, 5, '0'), 'org_a', 'web_' || n % 2, timestamptz '2026-01-01Z' - ${day} * interval '1 day'
         + n % 7 * interval '1 hour', '{}'::text[], 'lighthouse ' || n from generate_series(1, 12000) as n`,
    );
    const { rows } = await readTables().raw(
      `select id, website_id from content_read.titles order by published_at desc, id desc`,
    );
    const reader = new PostgresBlogReader(readTables());
    for (const [websiteId, part] of [
      [null, 'lighthouse'],
      [null, 'ou'],
      ['web_1', 'lighthouse'],
    ] as const) {
      const matching = rows.flatMap(({ id, website_id: website }: { id: string; website_id: string }) =>
        (websiteId ?? website) === website ? [id] : [],
      );
      for (const offset of [0, 1, 70, 3_001, matching.length - 50, matching.length - 5, matching.length]) {
        const criteria = { ...EVERYTHING, websiteId, foldedTitlePart: part };
        const found = await reader.list('org_a', criteria, { offset, limit: 100 });
        expect(found.total).to.equal(matching.length);
        expect(found.blogs.map(({ id }) => id)).to.deep.equal(matching.slice(offset, offset + 100));
      }
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
      const part = foldCase(search);
      const reader = new PostgresBlogReader(readTables());
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
