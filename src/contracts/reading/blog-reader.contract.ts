import { expect } from 'chai';
import type { BlogDetail } from '../../domain/model/blog.js';
import type { BlogRow } from '../../domain/model/read-model.js';
import { newestFirst } from '../../domain/policies/ordering.js';
import type { BlogReader } from '../../domain/ports/reading/blog-reader.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';
import { freshId } from '../support/fresh-id.js';
import { aBlog } from '../support/rows.js';
import { TROUBLESOME_TEXTS } from '../support/troublesome-values.js';
import { EVERYTHING, itMatchesCriteria } from './blog-reader.criteria.js';
import type { BlogReaderSubject } from './blog-reader.subject.js';

const TERM = { id: 'term', name: 'Term', slug: 'term' };
const FIRST_HUNDRED = { offset: 0, limit: 100 };

export function blogReaderContract(
  runner: Runner,
  Adapter: AdapterClass<BlogReader>,
  makeSubject: () => Promise<BlogReaderSubject>,
): void {
  const { describe, it, beforeEach } = runner;
  describe(`${Adapter.name}, a blog reader,`, () => {
    let reader: BlogReader;
    let put: BlogReaderSubject['put'];
    let organizationId: string;

    beforeEach(async () => {
      ({ subject: reader, put } = await makeSubject());
      organizationId = freshId('org');
    });

    const newBlog = (given: Partial<BlogRow> = {}) =>
      aBlog({ id: freshId('blog'), organizationId, ...given });
    const listedIds = async (offset: number, limit: number) => {
      const { blogs } = await reader.list(organizationId, EVERYTHING, { offset, limit });
      return blogs.map(({ id }) => id);
    };

    itIsTestedItself(runner, Adapter, () => reader);

    it('lists blogs without their content and without internal fields', async () => {
      const blog = newBlog({ excerpt: '', metaTitle: null, featuredImageUrl: 'https://example.com/ü?a=1&b' });
      await put(blog);
      const { contentHtml, ...listed } = toDetail(blog);
      const list = await reader.list(organizationId, EVERYTHING, FIRST_HUNDRED);
      expect(list).to.deep.equal({ total: 1, blogs: [listed] });
    });

    it('lists the newest first, to the millisecond, whatever order they came in', async () => {
      const times = [
        0,
        1_000,
        999,
        -1,
        Date.parse('0001-01-01T00:00:00Z'),
        Date.parse('+012024-01-01T00:00:00Z'),
      ];
      const blogs = times.map((publishedAt) => newBlog({ publishedAt }));
      await put(...blogs);
      const newestFirst = blogs.toSorted((a, b) => b.publishedAt - a.publishedAt);
      expect(await listedIds(0, 100)).to.deep.equal(newestFirst.map(({ id }) => id));
    });

    it('orders blogs of one time by id, highest code point first', async () => {
      const prefix = freshId('blog');
      // UTF-16 units would swap the last two. Human collations would reorder the letters.
      const ascending = ['', '-', '0', '10', '9', 'B', 'Z', 'a', 'ab', 'z', 'ä', '\uff21', '\u{1f600}'];
      await put(...ascending.toSorted().map((end) => newBlog({ id: prefix + end })));
      expect(await listedIds(0, 100)).to.deep.equal(ascending.map((end) => prefix + end).reverse());
    });

    for (const [what, criteria] of [
      ['everything', EVERYTHING],
      ['a website', { ...EVERYTHING, websiteId: 'web' }],
      ['a category', { ...EVERYTHING, categorySlug: TERM.slug }],
      ['a tag', { ...EVERYTHING, tagSlug: TERM.slug }],
      ['a category and a tag', { ...EVERYTHING, categorySlug: TERM.slug, tagSlug: TERM.slug }],
      ['a search', { ...EVERYTHING, foldedTitlePart: 'title' }],
    ] as const) {
      it(`has each blog of one time on exactly one page, in the order of all: ${what}`, async () => {
        const blogs = Array.from({ length: 7 }, () =>
          newBlog({ websiteId: 'web', title: 'Title', categories: [TERM], tags: [TERM] }),
        );
        await put(...blogs);
        const pages: string[] = [];
        for (let offset = 0; offset < blogs.length; offset += 2) {
          const list = await reader.list(organizationId, criteria, { offset, limit: 2 });
          pages.push(...list.blogs.map(({ id }) => id));
        }
        expect(pages).to.deep.equal(blogs.toSorted(newestFirst).map(({ id }) => id));
      });
    }

    it('counts all matches, also for a page past the end', async () => {
      await put(...Array.from({ length: 3 }, () => newBlog()));
      for (const [offset, listed] of [
        [0, 1],
        [2, 1],
        [3, 0],
        [100, 0],
        [2 ** 31, 0],
        [(2 ** 31 - 2) * 100, 0],
        [Number.MAX_SAFE_INTEGER, 0],
      ] as const) {
        const { total, blogs } = await reader.list(organizationId, EVERYTHING, { offset, limit: 1 });
        expect({ total, listed: blogs.length }, `from ${offset} on`).to.deep.equal({ total: 3, listed });
      }
    });

    it('finds a blog by its id, with its content', async () => {
      const blog = newBlog({ contentHtml: '<p>It\'s "here" \\ äöü</p>' });
      await put(blog, newBlog());
      expect(await reader.findById(organizationId, blog.id)).to.deep.equal(toDetail(blog));
    });

    it('finds a blog by the slug that it has in its website', async () => {
      const [one, other] = [
        newBlog({ websiteId: 'web_1', slug: 'hello' }),
        newBlog({ websiteId: 'web_2', slug: 'hello' }),
      ];
      await put(one, other);
      expect(await reader.findBySlug(organizationId, 'web_1', 'hello')).to.deep.equal(toDetail(one));
      expect(await reader.findBySlug(organizationId, 'web_2', 'hello')).to.deep.equal(toDetail(other));
    });

    it('returns null for a blog that does not exist, whatever its name', async () => {
      await put(newBlog({ websiteId: 'web_1', slug: 'hello' }));
      for (const name of ['HELLO', 'hello ', 'hell_', 'hell%', ...TROUBLESOME_TEXTS]) {
        expect(await reader.findById(organizationId, name), name).to.equal(null);
        expect(await reader.findBySlug(organizationId, 'web_1', name), name).to.equal(null);
        expect(await reader.findBySlug(organizationId, name, 'hello'), name).to.equal(null);
      }
    });

    it('finds a blog with special characters in its name by exactly that name', async () => {
      const blogs = TROUBLESOME_TEXTS.map((text) =>
        newBlog({ id: freshId('blog') + text, slug: text, websiteId: `web ${text}` }),
      );
      await put(...blogs);
      for (const blog of blogs) {
        expect(await reader.findById(organizationId, blog.id)).to.deep.equal(toDetail(blog));
        const blogBySlug = await reader.findBySlug(organizationId, blog.websiteId, blog.slug);
        expect(blogBySlug).to.deep.equal(toDetail(blog));
      }
    });

    it('never finds a blog of another organization, whatever the query', async () => {
      const shared = {
        websiteId: 'web_shared',
        slug: 'shared',
        title: 'Shared title',
        categories: [{ id: 'cat_shared', name: 'Shared', slug: 'shared' }],
        tags: [{ id: 'tag_shared', name: 'Shared', slug: 'shared' }],
      };
      const blog = newBlog(shared);
      const foreign = newBlog({ ...shared, organizationId: freshId('org') });
      await put(blog, foreign);
      const criteria = {
        websiteId: 'web_shared',
        categorySlug: 'shared',
        tagSlug: 'shared',
        foldedTitlePart: 'shared title',
      };
      for (const [asker, its, foreignBlog] of [
        [organizationId, blog, foreign],
        [foreign.organizationId, foreign, blog],
      ] as const) {
        expect(await reader.findById(asker, foreignBlog.id)).to.equal(null);
        expect((await reader.findBySlug(asker, 'web_shared', 'shared'))?.id).to.equal(its.id);
        for (const eachCriteria of [EVERYTHING, criteria]) {
          const { total, blogs } = await reader.list(asker, eachCriteria, FIRST_HUNDRED);
          expect({ total, ids: blogs.map(({ id }) => id) }).to.deep.equal({ total: 1, ids: [its.id] });
        }
      }
      for (const otherId of [freshId('org'), '', '%', organizationId.toUpperCase()]) {
        expect(await reader.list(otherId, EVERYTHING, FIRST_HUNDRED)).to.deep.equal({
          total: 0,
          blogs: [],
        });
        expect(await reader.findById(otherId, blog.id)).to.equal(null);
        expect(await reader.findBySlug(otherId, 'web_shared', 'shared')).to.equal(null);
      }
    });

    itMatchesCriteria(runner, makeSubject);
  });
}

function toDetail({ organizationId, foldedTitle, ...detail }: BlogRow): BlogDetail {
  return detail;
}
