import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { BLOG_COUNTS, BLOG_TEXTS, recordOf } from '../domain/model/blog-fields.js';
import type { BlogRow, RowTypes } from '../domain/model/read-model.js';
import type { ReadModelWriterSubject } from './read-model-writer.subject.js';
import type { Runner } from './runner.js';
import { freshId } from './support/fresh-id.js';
import { LeadingWriter } from './support/leading-writer.js';
import { aBlog } from './support/rows.js';
import { LONG_HTML, TROUBLESOME_TEXTS, TROUBLESOME_TIMES } from './support/troublesome-values.js';

/** The part of the contract about blogs that differ from rows with digests. */
export function itFindsDifferingBlogs(
  runner: Runner,
  makeSubject: () => Promise<ReadModelWriterSubject>,
): void {
  const { describe, it, beforeEach } = runner;
  describe('asked which blogs differ,', () => {
    let given: ReadModelWriterSubject;
    let writer: LeadingWriter;
    let organizationId: string;

    beforeEach(async () => {
      given = await makeSubject();
      writer = new LeadingWriter(given.subject, given.leadership);
      organizationId = freshId('org');
    });

    const newBlog = (row: Partial<BlogRow> = {}) => aBlog({ id: freshId('blog'), organizationId, ...row });
    const put = async (...rows: readonly BlogRow[]) => {
      await writer.replace({ kind: 'blogs', ids: idsOf(rows), rows });
      return rows;
    };
    const differing = (rows: readonly BlogRow[], ids = idsOf(rows)) =>
      given.subject.differing({ kind: 'blogs', ids, rows: rows.map(digested), refused: [] });

    it('names no blog that is exactly the same', async () => {
      const term = (text: string) => ({ id: `=${text}`, name: text, slug: text });
      const blogs = await put(
        ...TROUBLESOME_TEXTS.map((text) =>
          newBlog({
            title: text,
            foldedTitle: text,
            excerpt: text,
            contentHtml: text,
            categories: [term(text)],
          }),
        ),
        ...TROUBLESOME_TIMES.map((publishedAt) => newBlog({ publishedAt })),
        newBlog({ contentHtml: LONG_HTML, tags: TROUBLESOME_TEXTS.map(term) }),
      );
      expect(await differing(blogs)).to.deep.equal([]);
    });

    const other: Omit<BlogRow, 'id' | 'organizationId'> = {
      websiteId: 'other',
      title: 'other',
      foldedTitle: 'other',
      slug: 'other',
      ...recordOf(BLOG_TEXTS, () => 'other'),
      contentHtml: 'other',
      ...recordOf(BLOG_COUNTS, () => 77),
      publishedAt: 77,
      categories: [{ id: 'other', name: 'other', slug: 'other' }],
      tags: [{ id: 'other', name: 'other', slug: 'other' }],
    };

    for (const [field, value] of Object.entries(other)) {
      it(`names a blog with another ${field}, and no other blog`, async () => {
        const [changed, same] = (await put(newBlog(), newBlog())) as [BlogRow, BlogRow];
        expect(await differing([{ ...changed, [field]: value }, same])).to.deep.equal([changed.id]);
      });
    }

    it('names a blog that another organization has, and one that is missing', async () => {
      const [moved] = (await put(newBlog())) as [BlogRow];
      const missing = newBlog();
      const rows = [{ ...moved, organizationId: freshId('org') }, missing];
      expect(await differing(rows)).to.have.members([moved.id, missing.id]);
    });

    it('names a blog whose row must be removed, and none without a row', async () => {
      const [gone] = (await put(newBlog())) as [BlogRow];
      expect(await differing([], [gone.id, freshId('blog')])).to.deep.equal([gone.id]);
    });

    it('names a quarantined blog', async () => {
      const id = freshId('blog');
      const slice = { kind: 'blogs', ids: [id], rows: [], refused: [{ id, reason: 'too long' }] } as const;
      await given.subject.write(await writer.epoch(), { slices: [slice], work: [] });
      expect(await differing([], [id])).to.deep.equal([id]);
    });
  });
}

function digested(row: RowTypes['blogs']): RowTypes['blogs'] {
  return { ...row, contentHtml: createHash('md5').update(row.contentHtml).digest('hex') };
}

function idsOf(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id);
}
