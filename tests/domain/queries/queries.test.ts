import { expect } from 'chai';
import fc from 'fast-check';
import sinon from 'sinon';
import { aBlog, aCategory, aTag } from '../../../src/contracts/support/rows.js';
import type { BlogReader } from '../../../src/domain/ports/reading/blog-reader.js';
import { getBlogById, getBlogBySlug } from '../../../src/domain/queries/get-blog.js';
import { listPublishedBlogs } from '../../../src/domain/queries/list-published-blogs.js';
import { listCategories, listTags } from '../../../src/domain/queries/list-terms.js';
import { refusalOf } from '../refusal-of.js';

const LAST_PAGE = 2 ** 31 - 1;

/** A reader that returns this blog, or none. */
const readerOf = (blog: ReturnType<typeof aBlog> | null) => ({
  list: sinon.fake(),
  findById: sinon.fake.resolves(blog),
  findBySlug: sinon.fake.resolves(blog),
});

/** What the readers return is their contract: here is what the queries ask of them, and what they add. */
describe('The query for one blog', () => {
  it('asks for exactly this blog', async () => {
    const blog = aBlog({ id: 'blog' });
    const reader = readerOf(blog);
    expect(await getBlogById(reader, 'org_a', 'blog')).to.equal(blog);
    expect(await getBlogBySlug(reader, 'org_a', 'web_a1', 'first')).to.equal(blog);
    expect(reader.findById.args).to.eql([['org_a', 'blog']]);
    expect(reader.findBySlug.args).to.eql([['org_a', 'web_a1', 'first']]);
  });

  it('reports a blog that the reader does not find', async () => {
    const reader = readerOf(null);
    expect(await refusalOf(getBlogById(reader, 'org_a', 'none'))).to.equal('blog-not-found');
    expect(await refusalOf(getBlogBySlug(reader, 'org_a', 'web_a1', 'none'))).to.equal('blog-not-found');
  });
});

describe('The queries for categories and tags', () => {
  const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

  it('ask for categories, and sort them by sortOrder, name and id', async () => {
    const list = sinon.fake.resolves([
      aCategory({ id: '4', sortOrder: 2, name: 'A' }),
      aCategory({ id: '3', sortOrder: 1, name: 'Äpfel' }),
      aCategory({ id: '2', sortOrder: 1, name: 'Apfel' }),
      aCategory({ id: '1', sortOrder: 1, name: 'Apfel' }),
    ]);
    expect(idsOf(await listCategories({ list }, 'org_a', 'web_a1'))).to.eql(['1', '2', '3', '4']);
    expect(list.args).to.eql([['org_a', 'web_a1']]);
  });

  it('ask for tags, and sort them by name and id', async () => {
    const list = sinon.fake.resolves([
      aTag({ id: '3', name: 'Äpfel' }),
      aTag({ id: '2', name: 'Apfel' }),
      aTag({ id: '1', name: 'Apfel' }),
    ]);
    expect(idsOf(await listTags({ list }, 'org_a', 'web_a1'))).to.eql(['1', '2', '3']);
    expect(list.args).to.eql([['org_a', 'web_a1']]);
  });
});

describe('The query for blogs', () => {
  /** What the reader is asked for, and the page that is returned for this total. */
  const listed = async (page: number, limit: number, total = 0) => {
    const list = sinon.fake.resolves({ total, blogs: [] });
    const filters = { websiteId: 'web_a1', categorySlug: 'C', tagSlug: 'T', search: 'ÉCOLE' };
    const result = await listPublishedBlogs({ ...readerOf(null), list }, 'org_a', {
      ...filters,
      page,
      limit,
    });
    return { result, asked: list.args[0] as unknown as Parameters<BlogReader['list']> };
  };
  const offsetOf = async (page: number, limit: number) => (await listed(page, limit)).asked[2].offset;

  it('asks for folded text and one page', async () => {
    const criteria = { websiteId: 'web_a1', categorySlug: 'C', tagSlug: 'T', foldedTitlePart: 'école' };
    expect((await listed(3, 20)).asked).to.eql(['org_a', criteria, { offset: 40, limit: 20 }]);
  });

  it('starts each page where the previous one ends, up to the last possible one', async () => {
    expect(await offsetOf(1, 10)).to.equal(0);
    expect(await offsetOf(LAST_PAGE, 100)).to.equal(214_748_364_600);
    const page = fc.integer({ min: 1, max: LAST_PAGE - 1 });
    const limit = fc.integer({ min: 1, max: 100 });
    await fc.assert(
      fc.asyncProperty(page, limit, async (page, limit) => {
        expect(await offsetOf(page + 1, limit)).to.equal((await offsetOf(page, limit)) + limit);
      }),
    );
  });

  it('returns the totals, with room for every item and no empty page', async () => {
    const empty = { page: 1, limit: 10, items: [], total: 0, pages: 0 };
    expect((await listed(1, 10)).result).to.eql(empty);
    expect((await listed(9, 10, 20)).result).to.eql({ ...empty, page: 9, total: 20, pages: 2 });
    expect((await listed(1, 10, 21)).result).to.eql({ ...empty, total: 21, pages: 3 });
  });
});
