import { expect } from 'chai';
import { sharedReadTables } from '../../support/postgres/read-tables.js';

const BLOGS = 200;

describe('Titles that become longer', () => {
  const readTables = sharedReadTables();

  it('move to the last pack of their website, which is looked up once for a whole statement', async () => {
    await readTables().raw(
      `insert into content_read.blogs (organization_id, id, website_id, title, folded_title, slug, content_html, word_count,
         reading_time_minutes, published_at, categories, tags, category_slugs, tag_slugs)
       select 'org', 'blog_' || n, 'web_' || n % 2, '', 'blog', '', '', 0, 0, to_timestamp(n), '[]', '[]', '{}', '{}'
       from generate_series(1, ?::int) as n`,
      [BLOGS],
    );
    const lookUps = await readTables().transaction(async (transaction) => {
      const counted = async () => {
        const { rows } = await transaction.raw(
          `select (idx_scan + seq_scan)::int as scans from pg_stat_xact_user_tables where relid = 'content_read.title_packs'::regclass`,
        );
        return rows[0].scans;
      };
      const before = await counted();
      await transaction.raw(`update content_read.blogs set folded_title = 'longer ' || id`);
      return (await counted()) - before;
    });

    expect(lookUps).to.be.within(2, BLOGS / 2);
    const { rows } = await readTables().raw(
      'select website_id, sum(blogs)::int as blogs from content_read.title_packs group by 1 order by 1',
    );
    expect(rows).to.deep.equal([
      { website_id: 'web_0', blogs: BLOGS / 2 },
      { website_id: 'web_1', blogs: BLOGS / 2 },
    ]);
  });
});
