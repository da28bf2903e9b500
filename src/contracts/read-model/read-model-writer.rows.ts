import { expect } from 'chai';
import fc from 'fast-check';
import { BLOG_COUNTS, BLOG_TEXTS, recordOf } from '../../domain/model/blog-fields.js';
import type { BlogRow, RowKind, RowTypes } from '../../domain/model/read-model.js';
import type { Runner } from '../runner.js';
import { currentGeneration } from '../support/current-generation.js';
import { freshId } from '../support/fresh-id.js';
import { LeadingWriter } from '../support/leading-writer.js';
import { aBlog, aCategory, aKey, aTag } from '../support/rows.js';
import { LONG_HTML, TROUBLESOME_TEXTS, TROUBLESOME_TIMES } from '../support/troublesome-values.js';
import type { ReadModelWriterSubject } from './read-model-writer.subject.js';

const FOREVER = Number.POSITIVE_INFINITY;

/** The part of the contract that stores rows unchanged and misses no change. */
export function itStoresRowsExactly(
  runner: Runner,
  makeSubject: () => Promise<ReadModelWriterSubject>,
): void {
  const { describe, it, beforeEach } = runner;
  describe('given any row,', () => {
    let given: ReadModelWriterSubject;
    let writer: LeadingWriter;
    let organizationId: string;

    beforeEach(async () => {
      given = await makeSubject();
      writer = new LeadingWriter(given.subject, given.leadership);
      organizationId = freshId('org');
    });

    const put = <Kind extends RowKind>(kind: Kind, ...rows: readonly RowTypes[Kind][]) =>
      writer.replace({ kind, ids: rows.map(({ id }) => id), rows });
    const rowsChangedByPutting = async <Kind extends RowKind>(
      kind: Kind,
      ...rows: readonly RowTypes[Kind][]
    ) => (await put(kind, ...rows)).changedRows;
    const findKey = async (hash: string) => (await given.apiKeys.find(hash, 0))?.key;
    const fresh = () => ({ id: freshId('row'), organizationId });

    async function expectKept(...blogs: readonly BlogRow[]): Promise<void> {
      for (const { organizationId: owner, foldedTitle, ...detail } of blogs) {
        expect(await given.blogs.findById(owner, detail.id)).to.deep.equal(detail);
      }
    }

    it('keeps every text of every row exactly', async () => {
      const blogs = TROUBLESOME_TEXTS.map((text) => aBlog(blogOf(text, fresh().id, organizationId)));
      const categories = TROUBLESOME_TEXTS.map((text) =>
        aCategory({ ...fresh(), websiteId: text, name: text, slug: text, description: text, parentId: text }),
      );
      const tags = TROUBLESOME_TEXTS.map((text) =>
        aTag({ ...fresh(), websiteId: text, name: text, slug: text, color: text }),
      );
      await put('blogs', ...blogs);
      await put('categories', ...categories);
      await put('tags', ...tags);
      await expectKept(...blogs);
      expect(await given.categories.list(organizationId, null)).to.have.deep.members(
        categories.map(withoutOwner),
      );
      expect(await given.tags.list(organizationId, null)).to.have.deep.members(tags.map(withoutOwner));
    });

    it('keeps every text of many new rows in one slice exactly', async () => {
      const texts = Array.from({ length: 5 }, () => TROUBLESOME_TEXTS).flat();
      const blogs = texts.map((text) => aBlog(blogOf(text, fresh().id, organizationId)));
      const tags = texts.map((text) =>
        aTag({ ...fresh(), websiteId: text, name: text, slug: text, color: text }),
      );
      expect(await rowsChangedByPutting('blogs', ...blogs)).to.equal(blogs.length);
      expect(await rowsChangedByPutting('tags', ...tags)).to.equal(tags.length);
      await expectKept(...blogs);
      expect(await given.tags.list(organizationId, null)).to.have.deep.members(tags.map(withoutOwner));
      expect(await rowsChangedByPutting('blogs', ...blogs), 'a second time').to.equal(0);
    });

    it('keeps many new rows in one slice that have a megabyte together', async () => {
      const blogs = Array.from({ length: 60 }, (_, n) =>
        aBlog({ ...fresh(), organizationId, contentHtml: `${n}\t\u{1F469}\n`.repeat(2_000) }),
      );
      expect(await rowsChangedByPutting('blogs', ...blogs)).to.equal(blogs.length);
      await expectKept(...blogs);
    });

    it('detects what differs among many stored rows', async () => {
      const blogs = Array.from({ length: 60 }, (_, n) => aBlog({ ...fresh(), contentHtml: `Text ${n}` }));
      await put('blogs', ...blogs.slice(1));
      const changes: Readonly<Record<number, Partial<BlogRow>>> = {
        1: { contentHtml: '' },
        2: { title: 'Other' },
      };
      const next = blogs.map((blog, n) => ({ ...blog, ...changes[n] }));
      expect(await rowsChangedByPutting('blogs', ...next)).to.equal(3);
      await expectKept(...next);
      expect(await rowsChangedByPutting('blogs', ...next), 'a second time').to.equal(0);
    });

    it('keeps any text of a blog', async () => {
      // PostgreSQL cannot store NUL in a text.
      const someText = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\0', ''));
      await fc.assert(
        fc.asyncProperty(fc.array(someText, { minLength: 1, maxLength: 5 }), async (texts) => {
          const blogs = texts.map((text) => aBlog(blogOf(text, fresh().id, organizationId)));
          expect(await rowsChangedByPutting('blogs', ...blogs)).to.equal(blogs.length);
          await expectKept(...blogs);
        }),
        { numRuns: 20 },
      );
    });

    it('keeps times to the millisecond, from long before 1970 to beyond 9999', async () => {
      const blogs = TROUBLESOME_TIMES.map((publishedAt) => aBlog({ ...fresh(), publishedAt }));
      await put('blogs', ...blogs);
      await expectKept(...blogs);
      const keys = TROUBLESOME_TIMES.flatMap((time) => [
        aKey({ ...fresh(), hash: freshId('hash'), expiresAt: time }),
        aKey({ ...fresh(), hash: freshId('hash'), revokedAt: time }),
      ]);
      await put('apiKeys', ...keys);
      for (const key of keys) expect(await findKey(key.hash)).to.deep.equal(key);
    });

    it('keeps an infinite time of a key, and distinguishes it from no time', async () => {
      const key = aKey({ ...fresh(), hash: freshId('hash') });
      for (const [expiresAt, revokedAt] of [
        [FOREVER, null],
        [-FOREVER, FOREVER],
        [null, -FOREVER],
        [null, null],
      ] as const) {
        expect(await rowsChangedByPutting('apiKeys', { ...key, expiresAt, revokedAt })).to.equal(1);
        expect(await findKey(key.hash)).to.deep.equal({ ...key, expiresAt, revokedAt });
        expect(await rowsChangedByPutting('apiKeys', { ...key, expiresAt, revokedAt })).to.equal(0);
      }
    });

    it('keeps numbers over the whole range of 32 bits, and a content of a megabyte', async () => {
      const counts = { wordCount: 2 ** 31 - 1, readingTimeMinutes: 0 };
      const blog = aBlog({ ...fresh(), ...counts, contentHtml: LONG_HTML, title: 'long '.repeat(1_000) });
      await put('blogs', blog);
      await expectKept(blog);
      const categories = [2 ** 31 - 1, -(2 ** 31), 0].map((sortOrder) =>
        aCategory({ ...fresh(), sortOrder }),
      );
      await put('categories', ...categories);
      expect(await given.categories.list(organizationId, null)).to.have.deep.members(
        categories.map(withoutOwner),
      );
    });

    it('keeps as many rows as one slice has', async () => {
      const tags = Array.from({ length: 1_000 }, () => aTag(fresh()));
      expect(await rowsChangedByPutting('tags', ...tags)).to.equal(1_000);
      expect(await given.tags.list(organizationId, null)).to.have.length(1_000);
      expect(await rowsChangedByPutting('tags', ...tags)).to.equal(0);
    });

    itDetectsEveryChange('apiKeys', () => aKey({ ...fresh(), hash: freshId('hash') }), [
      { expiresAt: 0 },
      { expiresAt: 1 },
      { expiresAt: null },
      { revokedAt: 1 },
      { hash: 'another' },
    ]);
    itDetectsEveryChange('categories', () => aCategory(fresh()), [
      { websiteId: 'another' },
      { name: 'another' },
      { slug: 'another' },
      { description: 'another' },
      { parentId: '' },
      { parentId: null },
      { sortOrder: 1 },
    ]);
    itDetectsEveryChange('tags', () => aTag(fresh()), [
      { websiteId: 'another' },
      { name: 'another' },
      { slug: 'another' },
      { color: '' },
    ]);
    itDetectsEveryChange('blogs', () => aBlog({ ...fresh(), categories: TERMS, tags: TERMS }), [
      { websiteId: 'another' },
      { title: 'another' },
      { foldedTitle: 'another' },
      { slug: 'another' },
      ...BLOG_TEXTS.flatMap((field) => [{ [field]: '' }, { [field]: ' ' }, { [field]: null }]),
      { contentHtml: '' },
      ...BLOG_COUNTS.map((field) => ({ [field]: 4 })),
      { publishedAt: Date.UTC(2026, 0, 1) + 1 },
      { categories: TERMS.toReversed() },
      { categories: TERMS.map((term) => ({ ...term, name: 'another' })) },
      { categories: [] },
      { tags: TERMS.toReversed() },
      { tags: TERMS.slice(1) },
    ]);

    function itDetectsEveryChange<Kind extends RowKind>(
      kind: Kind,
      makeRow: () => RowTypes[Kind],
      changes: readonly Partial<RowTypes[Kind]>[],
    ): void {
      it(`detects a change of any field of ${kind}, once`, async () => {
        let row = makeRow();
        await put(kind, row);
        for (const change of changes) {
          row = { ...row, ...change };
          const before = await currentGeneration(given.generations, organizationId);
          expect(await rowsChangedByPutting(kind, row), JSON.stringify(change)).to.equal(1);
          const after = await currentGeneration(given.generations, organizationId);
          expect(after, JSON.stringify(change)).to.be.greaterThan(before);
          expect(await rowsChangedByPutting(kind, row), `${JSON.stringify(change)} again`).to.equal(0);
          expect(await currentGeneration(given.generations, organizationId)).to.equal(after);
        }
      });
    }
  });
}

const TERMS = ['b', 'a'].map((slug) => ({ id: `id of ${slug}`, name: `name of ${slug}`, slug }));

function withoutOwner<Row extends { organizationId: string }>({ organizationId, ...row }: Row) {
  return row;
}

/** A blog that has this text in every text field. */
function blogOf(text: string, id: string, organizationId: string): BlogRow {
  const terms = [text, 'z', 'a'].map((part) => ({ id: part, name: text, slug: text }));
  return aBlog({
    id: id + text,
    organizationId,
    websiteId: text,
    title: text,
    slug: text,
    ...recordOf(BLOG_TEXTS, () => text),
    contentHtml: text,
    categories: terms,
    tags: terms.toReversed(),
  });
}
