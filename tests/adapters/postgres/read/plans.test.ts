import { expect } from 'chai';
import type { Knex } from 'knex';
import { openReadDatabase, type ReadDatabase } from '../../../../src/adapters/postgres/read/read-database.js';
import { openDashboardDatabase } from '../../../../src/adapters/sql/postgres/open-database.js';
import type { BlogCriteria, BlogReader } from '../../../../src/domain/ports/reading/blog-reader.js';
import { createReadTables } from '../../../support/postgres/migrated-databases.js';
import { insertBlogs } from '../insert-blogs.js';
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
  'the first page': { read: listed({}, 0), mostRows: 200 },
  'the last page': { read: listed({}, NEW_BLOGS - 20), mostRows: 200 },
  'the page in the middle': { read: listed({}, NEW_BLOGS / 2), mostRows: 2 * NEW_BLOGS },
  'the first page of a category': { read: listed({ categorySlug: 'c1' }, 0), mostRows: 200 },
  'the first page of a website': { read: listed({ websiteId: 'web' }, 0), mostRows: 200 },
  'a search that finds one blog': { read: listed({ foldedTitlePart: 'no 1777' }, 0), mostRows: 200 },
  'the last page of a search that finds all blogs': {
    read: listed({ foldedTitlePart: 'blog' }, NEW_BLOGS - 20),
    mostRows: 8 * NEW_BLOGS,
  },
  'the last page of a search for one letter': {
    read: listed({ foldedTitlePart: 'o' }, NEW_BLOGS - 20),
    mostRows: 8 * NEW_BLOGS,
  },
  'a category and a tag': { read: listed({ categorySlug: 'c1', tagSlug: 't1' }, 0), mostRows: 400 },
  'a blog by its id': { read: (reader) => reader.findById('new', 'new1000'), mostRows: 100 },
  'a blog by its slug': {
    read: (reader) => reader.findBySlug('new', 'web', 'slug new1000'),
    mostRows: 100,
  },
};

/** What has statistics, and when: autovacuum analyzes a table again after a tenth of its rows have changed. */
const STATISTICS = {
  none: [],
  'older than the organization': ['before'],
  current: ['after'],
} as const;

for (const [what, analyzed] of Object.entries(STATISTICS)) {
  describe(`In read tables whose statistics are: ${what}`, () => {
    let database: ReadDatabase;

    before(async () => {
      const url = await createReadTables();
      const owner: Knex = openDashboardDatabase(url);
      for (const table of ['blogs', 'titles', 'list_entries', 'list_totals'])
        await owner.raw(`alter table content_read.${table} set (autovacuum_enabled = off)`);
      const analyze = async (at: 'before' | 'after') => {
        if ((analyzed as readonly string[]).includes(at)) await owner.raw('analyze');
      };
      database = openReadDatabase(url);
      const insert = (organizationId: string, count: number) =>
        insertBlogs(
          owner,
          `select :organizationId || n, :organizationId, 'web', to_timestamp(n * 3000), array['category=c' || n % 100, 'tag=t' || n % 7],
             'blog no ' || n from generate_series(1, :count::int) as n`,
          { organizationId, count },
        );
      for (let n = 0; n < 10; n++) await insert(`known${n}`, 2_500);
      await analyze('before');
      await insert('new', NEW_BLOGS);
      await analyze('after');
      await owner.destroy();
    });
    after(() => database?.destroy());

    for (const [found, { read, mostRows }] of Object.entries(CASES)) {
      it(`${found} is found by reading at most ${mostRows} rows`, async () => {
        const { plan } = await explained(database, read);
        expect(rowsReadIn(plan), plan).to.be.at.most(mostRows);
      });
    }
  });
}

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
