import { expect } from 'chai';
import fc from 'fast-check';
import sinon from 'sinon';
import { MemoryBlogReader } from '../../../src/contracts/fakes/memory-blog-reader.js';
import { MemoryReadModel } from '../../../src/contracts/fakes/memory-read-model.js';
import { aBlog } from '../../../src/contracts/support/rows.js';
import type { BlogRow } from '../../../src/domain/model/read-model.js';
import { RecordedSnapshot } from '../../../src/domain/model/snapshot.js';
import type { BlogReader } from '../../../src/domain/ports/blog-reader.js';
import {
  type ListPublishedBlogs,
  ListPublishedBlogsHandler,
} from '../../../src/domain/queries/list-published-blogs.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { leadingWriter } from '../../support/postgres/leading-writer.js';

const LAST_PAGE = 2 ** 31 - 1;

describe('ListPublishedBlogsHandler', () => {
  let readModel: MemoryReadModel;

  const put = (...rows: readonly BlogRow[]) =>
    leadingWriter(readModel).replace({ kind: 'blogs', ids: rows.map(({ id }) => id), rows });
  const list = (
    query: Partial<ListPublishedBlogs> = {},
    reader: BlogReader = new MemoryBlogReader(readModel),
  ) =>
    new ListPublishedBlogsHandler(reader).handle({
      organizationId: 'org_a',
      websiteId: null,
      categorySlug: null,
      tagSlug: null,
      search: null,
      snapshot: new RecordedSnapshot(0),
      page: 1,
      limit: 10,
      ...query,
    });
  const idsOf = async (query: Partial<ListPublishedBlogs>) => (await list(query)).items.map(({ id }) => id);

  beforeEach(() => {
    readModel = new MemoryReadModel(new SettableClock());
  });

  it('returns a page with the totals', async () => {
    await put(...['a', 'b', 'c', 'd', 'e'].map((id) => aBlog({ id })));

    const { items, ...totals } = await list({ page: 2, limit: 2 });
    expect(items.map(({ id }) => id)).to.eql(['c', 'b']);
    expect(totals).to.eql({ page: 2, limit: 2, total: 5, pages: 3 });
  });

  it('returns an empty page past the end, with the correct totals', async () => {
    await put(aBlog({ id: 'a' }));

    expect(await list({ page: LAST_PAGE, limit: 100 })).to.eql({
      page: LAST_PAGE,
      limit: 100,
      items: [],
      total: 1,
      pages: 1,
    });
  });

  it('returns no items and no pages for an organization without blogs', async () => {
    expect(await list()).to.eql({ page: 1, limit: 10, items: [], total: 0, pages: 0 });
  });

  it('returns no content in a list', async () => {
    await put(aBlog({ id: 'a' }));

    expect((await list()).items[0]).not.to.have.any.keys('contentHtml', 'foldedTitle', 'organizationId');
  });

  it('never returns the blogs of another organization, whatever the query', async () => {
    await put(aBlog({ id: 'other', organizationId: 'org_b', websiteId: 'web_b1', title: 'Title' }));

    for (const query of [{}, { websiteId: 'web_b1' }, { search: 'title' }]) {
      expect((await list(query)).total).to.equal(0);
    }
  });

  it('combines all filters', async () => {
    const term = (slug: string) => [{ id: slug, name: slug, slug }];
    const match = { websiteId: 'web_a2', title: 'Straße', categories: term('news'), tags: term('red') };
    await put(
      aBlog({ id: 'match', ...match }),
      aBlog({ id: 'website', ...match, websiteId: 'web_a1' }),
      aBlog({ id: 'category', ...match, categories: term('new') }),
      aBlog({ id: 'tag', ...match, tags: term('redder') }),
      aBlog({ id: 'title', ...match, title: 'Strand' }),
    );

    const query = { websiteId: 'web_a2', categorySlug: 'news', tagSlug: 'red', search: 'STRASSE' };
    expect(await idsOf(query)).to.eql(['match']);
  });

  it('finds a part of the title in any case and Unicode form', async () => {
    await put(aBlog({ id: 'a', title: "L'École des ΟΔΟΣ" }));

    for (const search of ['ÉCOLE', 'e\u0301cole', 'οδος', 'ΟΔΟ', "l'é"]) {
      expect(await idsOf({ search }), search).to.eql(['a']);
    }
    expect(await idsOf({ search: 'ecole' })).to.eql([]);
  });

  it('treats %, _ and \\ as ordinary characters', async () => {
    await put(aBlog({ id: 'a', title: '100% of a_b\\c' }), aBlog({ id: 'b', title: '1000 of axbyc' }));

    for (const search of ['0% of', 'a_b', '\\c']) expect(await idsOf({ search }), search).to.eql(['a']);
  });

  it('passes folded text, one page and the snapshot to its reader', async () => {
    const snapshot = new RecordedSnapshot(7);
    const list = sinon.fake.resolves({ total: 0, blogs: [] });
    const reader = Object.assign(new MemoryBlogReader(readModel), { list });
    await new ListPublishedBlogsHandler(reader).handle({
      organizationId: 'org_a',
      websiteId: 'web_a1',
      categorySlug: 'C',
      tagSlug: 'T',
      search: 'ÉCOLE',
      page: 3,
      limit: 20,
      snapshot,
    });

    expect(list.args).to.eql([
      [
        'org_a',
        { websiteId: 'web_a1', categorySlug: 'C', tagSlug: 'T', foldedTitlePart: 'école' },
        { offset: 40, limit: 20 },
        snapshot,
      ],
    ]);
  });

  describe('divides the matching blogs into pages', () => {
    /** The offset that the reader receives, and the page that is returned for this total. */
    const paged = async (page: number, limit: number, total = 0) => {
      const read = sinon.fake.resolves({ total, blogs: [] });
      const reader = Object.assign(new MemoryBlogReader(readModel), { list: read });
      const answered = await list({ page, limit }, reader);
      const [, , { offset }] = read.args[0] as Parameters<BlogReader['list']>;
      return { ...answered, offset };
    };
    const offsetOf = async (page: number, limit: number) => (await paged(page, limit)).offset;

    it('starts the first page with the first item', async () => {
      expect(await offsetOf(1, 10)).to.equal(0);
    });

    it('starts each page where the previous one ends', async () => {
      const page = fc.integer({ min: 1, max: LAST_PAGE - 1 });
      const limit = fc.integer({ min: 1, max: 100 });
      await fc.assert(
        fc.asyncProperty(page, limit, async (page, limit) => {
          expect(await offsetOf(page + 1, limit)).to.equal((await offsetOf(page, limit)) + limit);
        }),
      );
    });

    it('calculates the exact offset of the last possible page', async () => {
      expect(await offsetOf(LAST_PAGE, 100)).to.equal(214_748_364_600);
    });

    for (const [total, pages] of [
      [0, 0],
      [1, 1],
      [9, 1],
      [10, 1],
      [11, 2],
      [20, 2],
      [21, 3],
    ] as const) {
      it(`puts ${total} items on ${pages} pages of 10`, async () => {
        expect((await paged(1, 10, total)).pages).to.equal(pages);
      });
    }

    it('has room for every item, and no empty page', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 0, max: 10_000_000 }),
          fc.integer({ min: 1, max: 100 }),
          async (total, limit) => {
            const { pages } = await paged(1, limit, total);
            expect(pages * limit).to.be.at.least(total);
            expect((pages - 1) * limit).to.be.below(Math.max(total, 1));
          },
        ),
      );
    });
  });
});
