import { expect } from 'chai';
import { sharedReadTables } from '../../support/postgres/read-tables.js';
import { explained } from './explained.js';

const HARBOR = { websiteId: null, categorySlug: null, tagSlug: null, foldedTitlePart: 'harbor' };
const FIRST_PAGE = { offset: 0, limit: 20 };
/** Five of these titles fill a pack, and one pack of 256 is a sample. */
const BLOGS = 5 * 256;
const TITLE_BYTES = 1_098;

describe('A search that finds few', () => {
  const readTables = sharedReadTables();

  async function insert(organizationId: string, count: number): Promise<void> {
    await readTables().raw(
      `insert into content_read.blogs (organization_id, id, website_id, title, folded_title, slug, content_html, word_count,
         reading_time_minutes, published_at, categories, tags, category_slugs, tag_slugs)
       select :organizationId, 'blog_' || n, 'web', '', rpad(case when n % 50 = 0 then 'harbor ' else '' end || n, ${TITLE_BYTES}, ' x'),
         '', '', 0, 0, to_timestamp(n), '[]', '[]', '{}', '{}'
       from generate_series(1, :count::int) as n`,
      { organizationId, count },
    );
  }

  async function search(organizationId: string) {
    const { found, plan } = await explained(readTables(), (reader) =>
      reader.list(organizationId, HARBOR, FIRST_PAGE),
    );
    const indexCondition = /Bitmap Index Scan on blog_entries_\w+ .*\(actual .*\n\s+Index Cond: (.*)/.exec(
      plan,
    )?.[1];
    return { total: found.total, ids: found.blogs.map(({ id }) => id), indexCondition };
  }

  before(async () => {
    // Hostile settings of a server, which would change the plan, are not part of this test.
    await readTables().raw('set enable_bitmapscan = on; set enable_indexscan = on; set enable_seqscan = off');
    await readTables().raw('alter table content_read.blog_entries set (autovacuum_enabled = off)');
    await insert('most', BLOGS);
    await insert('few', 150);
  });

  it('looks up the organization in the title index, however many of all blogs it has, in tables without statistics', async () => {
    expect((await search('most')).indexCondition).to.contain('organization_id');
  });

  it('looks up only titles there for an organization that has nearly all blogs, and finds none of other organizations', async () => {
    await readTables().raw('analyze content_read.blog_entries');
    const { total, ids, indexCondition } = await search('most');
    expect(indexCondition).to.contain('folded_title').and.not.contain('organization_id');
    expect(total).to.equal(25);
    expect(ids).to.deep.equal(Array.from({ length: 20 }, (_, n) => `blog_${1250 - n * 50}`));
  });

  it('looks up the organization there for one that has few blogs', async () => {
    await readTables().raw('analyze content_read.blog_entries');
    const { total, ids, indexCondition } = await search('few');
    expect(indexCondition).to.contain('organization_id');
    expect([total, ids]).to.deep.equal([3, ['blog_150', 'blog_100', 'blog_50']]);
  });

  it('looks up the organization there if others have more than one blog in eight', async () => {
    await insert('others', 200);
    await readTables().raw('analyze content_read.blog_entries');
    expect((await search('most')).indexCondition).to.contain('organization_id');
  });
});
