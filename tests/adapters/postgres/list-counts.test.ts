import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import fc from 'fast-check';
import knex, { type Knex } from 'knex';
import { PrimaryContent } from '../../../src/adapters/postgres/content-database.js';
import { migrateDatabase } from '../../../src/adapters/postgres/migrate-database.js';
import { PostgresBlogReader } from '../../../src/adapters/postgres/postgres-blog-reader.js';
import { READ_MIGRATIONS } from '../../../src/composition/project-folders.js';
import type { LeadingWriter } from '../../../src/contracts/support/leading-writer.js';
import { aBlog } from '../../../src/contracts/support/rows.js';
import type { BlogRow } from '../../../src/domain/model/read-model.js';
import { leadingWriter } from '../../support/postgres/leading-writer.js';
import { sharedReadTables } from '../../support/postgres/read-tables.js';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';

/** Enough to cut a list into many blocks. */
const MANY = 3_000;
const MAX_BLOCK_SIZE = 1_024;
const NOTHING_ELSE = { websiteId: null, categorySlug: null, tagSlug: null, foldedTitlePart: null };

const blog = fc
  .record({
    n: fc.nat(MANY),
    organizationId: fc.constantFrom('org_a', 'org_b'),
    websiteId: fc.constantFrom('', 'web_1', 'web_2'),
    // Few days, so that many blogs have the same one.
    publishedAt: fc.nat(40).map((day) => Date.UTC(2026, 0, day)),
    // The terms belong to several websites, and so may share a slug.
    categories: fc.array(fc.constantFrom('', 'one', 'two'), { maxLength: 3 }),
    tags: fc.array(fc.constantFrom('', 'one'), { maxLength: 2 }),
  })
  .map(({ n, ...given }) =>
    aBlog({ id: `blog_${n}`, ...given, categories: given.categories.map(term), tags: given.tags.map(term) }),
  );

function term(slug: string) {
  return { id: `term ${slug}`, name: slug, slug };
}

/** One write of the worker: blogs that are new or changed, and the ids of deleted ones. */
const write = fc.record({
  blogs: fc.uniqueArray(blog, { selector: ({ id }) => id, minLength: 1, maxLength: 800, size: 'max' }),
  deleted: fc.uniqueArray(
    fc.nat(MANY).map((n) => `blog_${n}`),
    { maxLength: 600, size: 'max' },
  ),
});

async function apply(
  writer: LeadingWriter,
  { blogs, deleted }: { blogs: readonly BlogRow[]; deleted: readonly string[] },
) {
  const ids = new Set([...blogs.map(({ id }) => id), ...deleted]);
  await writer.replace({ kind: 'blogs', ids: [...ids], rows: blogs });
}

interface Block {
  readonly list: string;
  readonly place: string;
  readonly blogs: number;
}

/** Ordered by strings that sort as in the database. */
async function blocksIn(database: Knex): Promise<readonly Block[]> {
  const { rows } = await database.raw(`
    select json_build_array(organization_id, website, term)::text as list,
      case when from_published_at = '-infinity' then '' else extract(epoch from from_published_at)::bigint || ' ' || from_id end as place, blogs::int
    from content_read.blog_list_counts`);
  return rows.toSorted((a: Block, b: Block) => (a.place < b.place ? -1 : 1));
}

/** Counted in another way than by the list counts themselves. */
async function countedIn(database: Knex): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await database.raw(`
    select organization_id, website_id, category_slugs, tag_slugs, extract(epoch from published_at)::bigint || ' ' || id as place
    from content_read.blogs`);
  const places = new Map<string, string[]>();
  for (const row of rows) {
    const terms = [
      ...row.category_slugs.map((slug: string) => `category=${slug}`),
      ...row.tag_slugs.map((slug: string) => `tag=${slug}`),
    ];
    for (const website of ['', `=${row.website_id}`]) {
      for (const each of new Set(['', ...terms])) {
        const list = `["${row.organization_id}", "${website}", "${each}"]`;
        places.set(list, [...(places.get(list) ?? []), row.place]);
      }
    }
  }
  return places;
}

async function expectCorrectListCounts(database: Knex): Promise<void> {
  const [blocks, counted] = await Promise.all([blocksIn(database), countedIn(database)]);
  expect([...new Set(blocks.map(({ list }) => list))]).to.have.members([...counted.keys()]);
  for (const [list, places] of counted) {
    const stored = blocks.filter((block) => block.list === list);
    const expected = stored.map(({ place }, index) => {
      const end = stored[index + 1]?.place;
      return places.filter((each) => each >= place && (end === undefined || each < end)).length;
    });
    expect(
      stored.map(({ blogs }) => blogs),
      list,
    ).to.deep.equal(expected);
    expect(Math.max(...expected), list).to.be.at.most(MAX_BLOCK_SIZE);
  }
}

describe('The list counts', () => {
  const readTables = sharedReadTables();

  async function ids(organizationId: string): Promise<readonly string[]> {
    return readTables()
      .withSchema('content_read')
      .from('blogs')
      .where('organization_id', organizationId)
      .orderBy([
        { column: 'published_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .pluck('id');
  }

  it('are correct, and so are their places, after any writes, moves and deletions', async () => {
    const writer = leadingWriter(readTables());
    const reader = new PostgresBlogReader(new PrimaryContent(readTables()));
    const verify = async (writes: readonly Parameters<typeof apply>[1][], offset: number) => {
      for (const each of writes) await apply(writer, each);
      await expectCorrectListCounts(readTables());
      // Blogs move between organizations here, which hides some websites. The list counts include hidden blogs.
      await readTables().raw('delete from content_read.hidden_websites');
      const all = await ids('org_a');
      const { total, blogs } = await reader.list('org_a', NOTHING_ELSE, { offset, limit: 7 });
      expect(total).to.equal(all.length);
      expect(blogs.map(({ id }) => id)).to.deep.equal(all.slice(offset, offset + 7));
    };
    await fc.assert(fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 3 }), fc.nat(MANY), verify), {
      numRuns: 12,
    });
  });

  it('are correct if the first blog of a block is deleted and added again among many', async () => {
    const writer = leadingWriter(readTables());
    const some = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) =>
        aBlog({ id: `blog_${from + n}`, publishedAt: Date.UTC(2026, 0) + (from + n) * 1_000 }),
      );
    await readTables().raw('truncate content_read.blogs');
    await apply(writer, { blogs: some(0, 1_100), deleted: [] });
    const { rows } = await readTables().raw(
      `select from_id as id from content_read.blog_list_counts where website = '' and from_id <> ''`,
    );
    const first = Number(rows[0].id.slice('blog_'.length));
    await apply(writer, { blogs: [], deleted: [rows[0].id] });
    await apply(writer, { blogs: [...some(first, 1), ...some(2_000, 300)], deleted: [] });
    await expectCorrectListCounts(readTables());
  });

  for (const emptying of ['truncate content_read.blogs', 'delete from content_read.blogs']) {
    it(`are deleted with their last blog: ${emptying}`, async () => {
      const blogs = Array.from({ length: 700 }, (_, n) => aBlog({ id: `blog_${n}`, publishedAt: n }));
      await apply(leadingWriter(readTables()), { blogs, deleted: [] });
      await readTables().raw(emptying);
      expect(await blocksIn(readTables())).to.deep.equal([]);
    });
  }

  it('are created for blogs that existed before them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'migrations-'));
    const all = fileURLToPath(READ_MIGRATIONS.directory);
    for (const file of (await readdir(all)).filter((name) => name < '0004')) {
      await cp(join(all, file), join(folder, file));
    }
    const url = await createTestDatabase();
    await migrateDatabase(url, { ...READ_MIGRATIONS, directory: pathToFileURL(`${folder}/`) });
    const database = knex({ client: 'pg', connection: url });
    try {
      await database.raw(`
        insert into content_read.blogs
          (organization_id, id, website_id, title, folded_title, slug, content_html, word_count, reading_time_minutes, published_at,
           categories, tags, category_slugs, tag_slugs)
        select 'org_a', 'blog_' || n, 'web_1', '', '', '', '', 0, 0, timestamptz '2026-01-01Z' + n % 28 * interval '1 day', '[]', '[]', '{one}', '{}'
        from generate_series(1, 2000) as n`);
      await migrateDatabase(url, READ_MIGRATIONS);
      await expectCorrectListCounts(database);
    } finally {
      await database.destroy();
      await rm(folder, { recursive: true });
    }
  });
});
