import { expect } from 'chai';
import fc from 'fast-check';
import type { BlogRow } from '../../domain/model/read-model.js';
import { newestFirst } from '../../domain/policies/ordering.js';
import { foldCase } from '../../domain/policies/text-folding.js';
import type { BlogCriteria, BlogReader } from '../../domain/ports/reading/blog-reader.js';
import type { Runner } from '../runner.js';
import { freshId } from '../support/fresh-id.js';
import { aBlog } from '../support/rows.js';
import { TROUBLESOME_TEXTS } from '../support/troublesome-values.js';
import type { BlogReaderSubject } from './blog-reader.subject.js';

export const EVERYTHING: BlogCriteria = {
  websiteId: null,
  categorySlug: null,
  tagSlug: null,
  foldedTitlePart: null,
};
/** The part of the blog reader's contract about which blogs match which criteria. */
export function itMatchesCriteria(runner: Runner, makeSubject: () => Promise<BlogReaderSubject>): void {
  const { describe, it, beforeEach } = runner;
  describe('asked for blogs that meet criteria,', () => {
    let reader: BlogReader;
    let put: BlogReaderSubject['put'];
    let organizationId: string;

    beforeEach(async () => {
      ({ subject: reader, put } = await makeSubject());
      organizationId = freshId('org');
    });

    const putBlogs = async (given: readonly Partial<BlogRow>[]) => {
      const blogs = given.map((fields) => aBlog({ id: freshId('blog'), organizationId, ...fields }));
      await put(...blogs);
      return blogs;
    };
    const matches = async (criteria: Partial<BlogCriteria>) => {
      const cut = { offset: 0, limit: 100 };
      const { total, blogs } = await reader.list(organizationId, { ...EVERYTHING, ...criteria }, cut);
      expect(total).to.equal(blogs.length);
      return blogs.map(({ id }) => id);
    };

    it('lists the blogs of one website', async () => {
      const [blog] = await putBlogs([{ websiteId: 'web_1' }, { websiteId: 'web_2' }]);
      expect(await matches({ websiteId: 'web_1' })).to.deep.equal([blog?.id]);
      expect(await matches({ websiteId: 'web_' })).to.deep.equal([]);
    });

    it('lists the blogs that have a category, or a tag, of exactly this slug', async () => {
      const [inCategory, withTag] = await putBlogs([
        { categories: [term('other'), term('news')] },
        { tags: [term('news'), term('other-too')] },
        { categories: [term('newsletter')], tags: [term('News')] },
      ]);
      expect(await matches({ categorySlug: 'news' })).to.deep.equal([inCategory?.id]);
      expect(await matches({ tagSlug: 'news' })).to.deep.equal([withTag?.id]);
      for (const slug of ['new', 'news%', 'NEWS', 'name of news', 'id-of-news']) {
        expect(await matches({ categorySlug: slug }), slug).to.deep.equal([]);
      }
    });

    it('treats slugs literally', async () => {
      const blogs = await putBlogs(
        TROUBLESOME_TEXTS.map((slug) => ({ categories: [term(slug)], tags: [term(slug)] })),
      );
      for (const [index, slug] of TROUBLESOME_TEXTS.entries()) {
        expect(await matches({ categorySlug: slug }), slug).to.deep.equal([blogs[index]?.id]);
        expect(await matches({ tagSlug: slug }), slug).to.deep.equal([blogs[index]?.id]);
      }
    });

    for (const [title, search] of [
      ['Hello World', 'hello'],
      ['Hello World', 'o w'],
      ['Hello World', ''],
      ['Große Straße', 'GROSSE STRASSE'],
      ['100% _sure_', '0% _S'],
      ['It\'s a \\ "test"', '\'s a \\ "TEST"'],
      ['Why? Why?? :name', 'WHY?? :NAME'],
      ['日本語の題名', '本語'],
      ['Smile \u{1f600}!', '\u{1f600}!'],
    ] as const) {
      it(`finds "${title}" by "${search}"`, async () => {
        const [blog] = await putBlogs([{ title }]);
        expect(await matches({ foldedTitlePart: foldCase(search) })).to.deep.equal([blog?.id]);
      });
    }

    for (const [title, search] of [
      ['Hello World', 'helloworld'],
      ['Hello World', 'h%d'],
      ['Hello World', '%'],
      ['Hello World', '_'],
      ['Hello World', 'h_llo'],
      ['Hello World', '\\h'],
      ['Hello World', '\\'],
      ['Hello World', 'h.*d'],
      ['Hello World', "'"],
      ['Hello World', '"'],
      ['a\\%b', 'a%b'],
      ['a\\_b', 'a\\\\_b'],
      ['Café', 'cafe'],
      ['Diyarbakır', 'diyarbakir'],
    ] as const) {
      it(`does not find "${title}" by "${search}"`, async () => {
        await putBlogs([{ title, contentHtml: search, slug: search, excerpt: search }]);
        expect(await matches({ foldedTitlePart: foldCase(search) })).to.deep.equal([]);
      });
    }

    it('pages, counts and orders matches as the policies define, for any content and query', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(someFields, { maxLength: 12 }),
          fc.array(someQuery, { minLength: 4, maxLength: 8 }),
          async (fields, queries) => {
            organizationId = freshId('org');
            const blogs = await putBlogs(fields);
            for (const { cut, ...criteria } of queries) {
              const matching = blogs.filter((blog) => isMatch(blog, criteria)).toSorted(newestFirst);
              const list = await reader.list(organizationId, criteria, cut);
              const expected = matching.slice(cut.offset, cut.offset + cut.limit).map(({ id }) => id);
              expect(list.blogs.map(({ id }) => id)).to.deep.equal(expected);
              expect(list.total).to.equal(matching.length);
            }
          },
        ),
        { numRuns: 25 },
      );
    });
  });
}

function term(slug: string) {
  return { id: `id-of-${slug}`, name: `name of ${slug}`, slug };
}

// Few values, so that they often coincide.
const someWebsite = fc.constantFrom('web_1', 'web_2');
const someSlug = fc.constantFrom('a', 'b', 'c,d', '{"e"}');
const someTitle = fc.string({
  unit: fc.constantFrom('a', 'B', 'ß', 'SS', '%', '_', '\\', "'", '\u{1f600}'),
  maxLength: 6,
});
const someTerms = fc.uniqueArray(someSlug, { maxLength: 3 }).map((slugs) => slugs.map(term));
const someFields = fc.record({
  websiteId: someWebsite,
  title: someTitle,
  publishedAt: fc.constantFrom(-1, 0, 1, Date.UTC(2026, 0, 1)),
  categories: someTerms,
  tags: someTerms,
});
const someQuery = fc.record({
  websiteId: fc.option(someWebsite),
  categorySlug: fc.option(someSlug),
  tagSlug: fc.option(someSlug),
  foldedTitlePart: fc.option(someTitle.map(foldCase)),
  cut: fc.record({ offset: fc.nat(5), limit: fc.integer({ min: 1, max: 5 }) }),
});

function isMatch(
  blog: BlogRow,
  { websiteId, categorySlug, tagSlug, foldedTitlePart }: BlogCriteria,
): boolean {
  return (
    (websiteId ?? blog.websiteId) === blog.websiteId &&
    (categorySlug === null || blog.categories.some(({ slug }) => slug === categorySlug)) &&
    (tagSlug === null || blog.tags.some(({ slug }) => slug === tagSlug)) &&
    blog.foldedTitle.includes(foldedTitlePart ?? '')
  );
}
