import { expect } from 'chai';
import { replaceRows } from '../../../../src/adapters/postgres/write/replace-slice.js';
import { toRecords, WRITTEN_TABLES } from '../../../../src/adapters/postgres/write/written-tables.js';
import { aTag } from '../../../../src/contracts/support/rows.js';
import type { TagRow } from '../../../../src/domain/model/read-model.js';
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
      `explain ${replaceRows(WRITTEN_TABLES.blogs)}`,
      { records: '[]', ids: IDS },
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).to.contain('blogs_pkey').and.not.to.contain('Seq Scan on blogs');
  });

  it('does not even lock rows that are the same, because PostgreSQL writes to each row that it locks', async () => {
    const tags = ['same', 'other'].map((id) => aTag({ id }));
    const replaceBy = (rows: readonly TagRow[]) =>
      readTables().raw(replaceRows(WRITTEN_TABLES.tags), {
        records: toRecords(WRITTEN_TABLES.tags, rows),
        ids: tags.map(({ id }) => id),
      });
    const versions = async () =>
      (await readTables().raw('select id, xmin::text, xmax::text from content_read.tags order by id')).rows;
    await replaceBy(tags);
    const [other, same] = await versions();
    expect((await replaceBy(tags)).rows).to.deep.equal([]);
    expect(await versions()).to.deep.equal([other, same]);
    expect((await replaceBy(tags.map((tag) => ({ ...tag, name: `${tag.id} name` })))).rows).to.have.length(2);
    expect((await versions())[1]).not.to.deep.equal(same);
  });
});
