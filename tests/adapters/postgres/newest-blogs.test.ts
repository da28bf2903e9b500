import { expect } from 'chai';
import { PostgresBlogReader } from '../../../src/adapters/postgres/postgres-blog-reader.js';
import { sharedReadTables } from '../../support/read-tables.js';

const ALL = { websiteId: null, categorySlug: null, tagSlug: null, foldedTitlePart: null };

interface Sent {
  readonly sql: string;
  readonly bindings: readonly (string | number)[];
}

describe('A page of all blogs of an organization with one website', () => {
  const readTables = sharedReadTables();

  it('is walked to in an index alone: no row is visited that is not on the page', async () => {
    // What hostile settings of a server make of it is not the question.
    await readTables().raw('set enable_indexscan = on; set enable_indexonlyscan = on');
    await readTables().raw(`
      insert into content_read.blogs (organization_id, id, website_id, title, folded_title, slug, content_html, word_count,
        reading_time_minutes, published_at, categories, tags, category_slugs, tag_slugs)
      select 'org', 'blog_' || n, 'web', '', '', '', repeat('x', 1000), 0, 0, to_timestamp(n), '[]', '[]', '{}', '{}'
      from generate_series(1, 2000) as n`);
    await readTables().raw('vacuum analyze content_read.blogs');
    const sent: Sent[] = [];
    const note = (statement: Sent) => sent.push(statement);
    readTables().on('query', note);
    await new PostgresBlogReader(readTables()).list('org', ALL, { offset: 300, limit: 20 });
    readTables().off('query', note);

    const [{ sql, bindings }] = sent as [Sent];
    const values = sql.replace(/\$(\d+)/g, (_, place) => `'${bindings[Number(place) - 1]}'`);
    const { rows }: { rows: { 'QUERY PLAN': string }[] } = await readTables().raw(`explain ${values}`);

    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).to.contain(
      'Index Only Scan using blogs_newest_first on',
    );
  });
});
