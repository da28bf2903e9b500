import { expect } from 'chai';
import type { Context } from 'mocha';
import { runProgram } from '../programs/program.js';
import { environmentOf } from '../programs/running-programs.js';
import type { SyncedDatabases } from './synced-databases.js';

const HEAP = 56;
const TAGS = 5_000;
/** Of all tags together: more than the heap. */
const NAME = 'x'.repeat(10_000);
const AT_ONCE = 1_000;

/** What the worker promises on each engine about a blog with more tags than memory can hold. */
export function manyTermsCase(open: (context: Context) => Promise<SyncedDatabases>): void {
  it(`is not shown, and a worker with a heap of ${HEAP} MB shows the others`, async function () {
    const databases = await open(this);
    const { dashboard, readTables } = databases;
    await dashboard('organizations').insert({ id: 'org', name: 'O' });
    await dashboard('websites').insert({ id: 'web', organization_id: 'org', name: 'W' });
    const blog = { website_id: 'web', title: 'T', content_html: '', published_at: '2024-01-01 00:00:00' };
    for (const id of ['many', 'few'])
      await dashboard('blogs').insert({ ...blog, id, slug: id, status: 'published' });
    const ids = Array.from({ length: TAGS }, (_, n) => `tag_${n}`);
    for (let first = 0; first < TAGS; first += AT_ONCE) {
      const some = ids.slice(first, first + AT_ONCE);
      await dashboard('tags').insert(some.map((id) => ({ id, website_id: 'web', name: NAME, slug: id })));
      await dashboard('blog_tags').insert(some.map((tag_id) => ({ blog_id: 'many', tag_id })));
    }
    // The first fill reads all rows.
    await databases.emptyQueue();
    const environment = { ...environmentOf(databases), NODE_OPTIONS: `--max-old-space-size=${HEAP}` };
    const { code, output } = await runProgram(['sync', '--once'], environment);

    expect(code, output.slice(-2_000)).to.equal(0);
    const read = readTables.withSchema('content_read');
    expect(await read.clone().from('blogs').pluck('id')).to.eql(['few']);
    const bytes = TAGS * (NAME.length + 100) + ids.join('').length * 2;
    expect(await read.clone().from('unshown_rows').select('id', 'reason')).to.eql([
      { id: 'many', reason: `tags has ${bytes} bytes; the limit is 20000` },
    ]);
    await databases.close();
  });
}
