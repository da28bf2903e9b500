import { expect } from 'chai';
import { READ_TABLES } from '../../../../src/adapters/postgres/read/read-table.js';
import { replaceRows } from '../../../../src/adapters/postgres/write/replace-slice.js';
import { sharedReadTables } from '../../../support/postgres/read-tables.js';
import { insertBlogs } from '../insert-blogs.js';

const ROWS = 20_000;
const IDS = Array.from({ length: 250 }, (_, n) => `blog_${n}`);

describe('replaceRows', () => {
  const readTables = sharedReadTables();

  it('finds the rows of its ids through an index even if the table has no statistics yet, as on its first fill', async () => {
    // Hostile settings of a server, which would change the plan, are not part of this test.
    await readTables().raw('set enable_indexscan = on; set enable_bitmapscan = on');
    await readTables().raw('alter table content_read.blogs set (autovacuum_enabled = false)');
    await insertBlogs(
      readTables(),
      `select 'blog_' || n, 'org', 'web', now(), '{}'::text[], '' from generate_series(1, ${ROWS}) as n`,
    );
    const { rows }: { rows: { 'QUERY PLAN': string }[] } = await readTables().raw(
      `explain ${replaceRows(READ_TABLES.blogs)}`,
      { records: '[]', ids: IDS },
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).to.contain('blogs_pkey').and.not.to.contain('Seq Scan on blogs');
  });
});
