import { expect } from 'chai';
import type { BlogCriteria, BlogReader } from '../../../src/domain/ports/blog-reader.js';
import { sharedReadTables } from '../../support/postgres/read-tables.js';
import { explained } from './explained.js';

const NEW_BLOGS = 2_000;
const ALL: BlogCriteria = { websiteId: null, categorySlug: null, tagSlug: null, foldedTitlePart: null };

interface Case {
  readonly read: (reader: BlogReader) => Promise<unknown>;
  readonly mostRows: number;
}

const listed = (criteria: Partial<BlogCriteria>, offset: number) => (reader: BlogReader) =>
  reader.list('new', { ...ALL, ...criteria }, { offset, limit: 20 });

const CASES: Readonly<Record<string, Case>> = {
  'the first page': { read: listed({}, 0), mostRows: 1_000 },
  'the last page': { read: listed({}, NEW_BLOGS - 20), mostRows: 1_000 },
  'the first page of a category': { read: listed({ categorySlug: 'c1' }, 0), mostRows: 1_000 },
  'the last page of a search that finds all blogs': {
    read: listed({ foldedTitlePart: 'o' }, NEW_BLOGS - 20),
    mostRows: 10 * NEW_BLOGS,
  },
  'a blog by its id': { read: (reader) => reader.findById('new', 'new1000'), mostRows: 100 },
  'a blog by its slug': {
    read: (reader) => reader.findBySlug('new', 'web', 'slug-1000'),
    mostRows: 100,
  },
};

/** Autovacuum analyzes a table again after a tenth of its rows have changed. */
describe('For an organization that is newer than the statistics of the read tables', () => {
  const readTables = sharedReadTables();

  const insert = (organizationId: string, count: number) =>
    readTables().raw(
      `insert into content_read.blogs (organization_id, id, website_id, title, folded_title, slug, content_html, word_count,
         reading_time_minutes, published_at, categories, tags, category_slugs, tag_slugs)
       select :organizationId, :organizationId || n, 'web', '', 'blog no ' || n, 'slug-' || n,
         '', 0, 0, to_timestamp(n), '[]', '[]', array['c' || n % 100], '{}'
       from generate_series(1, :count::int) as n`,
      { organizationId, count },
    );

  before(async () => {
    // Hostile settings of a server, which would change the plan, are not part of this test.
    await readTables().raw('set enable_bitmapscan = on; set enable_indexscan = on; set enable_seqscan = on');
    for (let n = 0; n < 10; n++) await insert(`known${n}`, 2_500);
    await readTables().raw('analyze');
    await insert('new', NEW_BLOGS);
  });

  for (const [what, { read, mostRows }] of Object.entries(CASES)) {
    it(`${what} is found by reading at most ${mostRows} rows`, async () => {
      const { plan } = await explained(readTables(), read);
      expect(rowsReadIn(plan), plan).to.be.at.most(mostRows);
    });
  }
});

/** The rows that the steps of a plan returned or removed, all loops together. */
function rowsReadIn(plan: string): number {
  let loops = 1;
  let rows = 0;
  for (const line of plan.split('\n')) {
    const [, returned, times] = /\(actual .*rows=([\d.]+) loops=(\d+)\)/.exec(line) ?? [];
    if (times !== undefined) loops = Number(times);
    const removed = /Rows Removed by \w+.*: (\d+)/.exec(line)?.[1] ?? 0;
    rows += times === undefined ? loops * Number(removed) : loops * Number(returned);
  }
  return rows;
}
