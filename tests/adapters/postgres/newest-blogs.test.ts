import { expect } from 'chai';
import { PrimaryContent } from '../../../src/adapters/postgres/content-database.js';
import { PostgresBlogReader } from '../../../src/adapters/postgres/postgres-blog-reader.js';
import { sharedReadTables } from '../../support/postgres/read-tables.js';

const ALL = { websiteId: null, categorySlug: null, tagSlug: null, foldedTitlePart: null };

interface Sent {
  readonly sql: string;
  readonly bindings: readonly (string | number)[];
}

describe('A page of all blogs of an organization with one website', () => {
  const readTables = sharedReadTables();

  it('is found in an index only: no row is read that is not on the page', async () => {
    // Hostile settings of a server, which would change the plan, are not part of this test.
    await readTables().raw('set enable_indexscan = on; set enable_indexonlyscan = on');
    await readTables().raw(`
      insert into content_read.blogs (organization_id, id, website_id, title, folded_title, slug, content_html, word_count,
        reading_time_minutes, published_at, categories, tags, category_slugs, tag_slugs)
      select 'org', 'blog_' || n, 'web', '', '', '', repeat('x', 1000), 0, 0, to_timestamp(n), '[]', '[]', '{}', '{}'
      from generate_series(1, 2000) as n`);
    await readTables().raw('vacuum analyze content_read.blogs');
    const sent: Sent[] = [];
    const record = (statement: Sent) => sent.push(statement);
    readTables().on('query', record);
    await new PostgresBlogReader(new PrimaryContent(readTables())).list('org', ALL, {
      offset: 300,
      limit: 20,
    });
    readTables().off('query', record);

    const [{ sql, bindings }] = sent as [Sent];
    const values = sql.replace(/\$(\d+)/g, (_, place) => `'${bindings[Number(place) - 1]}'`);
    const { rows }: { rows: { 'QUERY PLAN': string }[] } = await readTables().raw(`explain ${values}`);

    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).to.contain(
      'Index Only Scan using blogs_newest_first on',
    );
  });

  it('reads no blocks but its own if nothing is hidden, even in a table without statistics', async () => {
    await readTables().raw('alter table content_read.blog_list_counts set (autovacuum_enabled = off)');
    await readTables().raw(`
      insert into content_read.blog_list_counts (organization_id, website, term, from_published_at, from_id, blogs)
      select 'cut', website, '', to_timestamp(n), n::text, 1 from generate_series(1, 2000) as n, unnest(array['', '=web']) as website`);
    const read = await readTables().transaction(async (transaction) => {
      const blocksRead = async () => {
        const { rows } = await transaction.raw(
          `select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where relid = 'content_read.blog_list_counts'::regclass`,
        );
        return rows[0].read;
      };
      const before = await blocksRead();
      await new PostgresBlogReader(new PrimaryContent(transaction)).list('cut', ALL, {
        offset: 0,
        limit: 20,
      });
      return (await blocksRead()) - before;
    });

    // Nearly all for the total, and a few for the page.
    expect(read).to.be.within(2_000, 2_010);
  });
});
