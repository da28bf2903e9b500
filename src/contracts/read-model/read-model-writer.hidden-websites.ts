import { expect } from 'chai';
import type { BlogRow, ReadModelSlice } from '../../domain/model/read-model.js';
import { EVERYTHING } from '../reading/blog-reader.criteria.js';
import type { Runner } from '../runner.js';
import { freshId } from '../support/fresh-id.js';
import { LeadingWriter } from '../support/leading-writer.js';
import { aBlog, aCategory, aTag } from '../support/rows.js';
import type { ReadModelWriterSubject } from './read-model-writer.subject.js';

const ALL = { offset: 0, limit: 100 };

/** The part of the contract about a website that moved, before its rows have. */
export function itHidesMovedWebsites(
  { describe, it, beforeEach }: Runner,
  makeSubject: () => Promise<ReadModelWriterSubject>,
): void {
  describe('given a website that moved to another organization,', () => {
    let given: ReadModelWriterSubject;
    let writer: LeadingWriter;
    let organizationId: string;
    let [moved, kept] = ['', ''];
    let blogs: readonly BlogRow[] = [];

    beforeEach(async () => {
      given = await makeSubject();
      writer = new LeadingWriter(given.subject, given.leadership);
      organizationId = freshId('org');
      [moved, kept] = [freshId('moved'), freshId('kept')];
      const terms = (websiteId: string) => ({
        category: aCategory({ id: `category ${websiteId}`, organizationId, websiteId, slug: websiteId }),
        tag: aTag({ id: `tag ${websiteId}`, organizationId, websiteId, slug: websiteId }),
      });
      const [a, b] = [terms(moved), terms(kept)];
      const child = aCategory({
        id: `child ${kept}`,
        organizationId,
        websiteId: kept,
        parentId: a.category.id,
      });
      blogs = Array.from({ length: 9 }, (_, n) =>
        aBlog({
          id: `${n} ${kept}`,
          organizationId,
          websiteId: n % 3 === 0 ? moved : kept,
          slug: `slug-${n}`,
          publishedAt: Date.UTC(2026, 0, 20 - n),
          categories: [a, b].map(({ category: { id, name, slug } }) => ({ id, name, slug })),
          tags: [a, b].map(({ tag: { id, name, slug } }) => ({ id, name, slug })),
        }),
      );
      await replace('categories', [a.category, b.category, child]);
      await replace('tags', [a.tag, b.tag]);
      await replace('blogs', blogs);
    });

    const movedBlogs = () => blogs.filter(({ websiteId }) => websiteId === moved) as [BlogRow];
    const replace = (kind: ReadModelSlice['kind'], rows: readonly { id: string }[]) =>
      writer.replace({ kind, ids: rows.map(({ id }) => id), rows: rows as never });
    const giveTo = async (owner: string | null) =>
      given.subject.write(await writer.epoch(), {
        slices: [],
        owners: [{ websiteId: moved, organizationId: owner }],
        jobs: [],
      });
    const list = async (criteria = {}, cut = ALL) => {
      const { total, blogs } = await given.blogs.list(organizationId, { ...EVERYTHING, ...criteria }, cut);
      return [total, ...blogs.map(({ id }) => Number(id[0]))];
    };

    for (const [owner, what] of [
      ['another', 'another organization'],
      [null, 'no organization: it is deleted'],
    ] as const) {
      it(`shows none of its blogs at once, when it belongs to ${what}`, async () => {
        await giveTo(owner);
        expect(await list()).to.deep.equal([6, 1, 2, 4, 5, 7, 8]);
        expect(await list({}, { offset: 2, limit: 3 })).to.deep.equal([6, 4, 5, 7]);
        expect(await list({}, { offset: 6, limit: 3 })).to.deep.equal([6]);
        expect(await list({ websiteId: moved })).to.deep.equal([0]);
        expect(await list({ websiteId: kept }, { offset: 1, limit: 2 })).to.deep.equal([6, 2, 4]);
        expect(await list({ tagSlug: kept })).to.deep.equal([6, 1, 2, 4, 5, 7, 8]);
        expect(await list({ tagSlug: kept, categorySlug: kept })).to.deep.equal([6, 1, 2, 4, 5, 7, 8]);
        expect(await given.blogs.findById(organizationId, `0 ${kept}`)).to.equal(null);
        expect(await given.blogs.findBySlug(organizationId, moved, 'slug-0')).to.equal(null);
        expect(await given.blogs.findBySlug(organizationId, kept, 'slug-1')).not.to.equal(null);
      });
    }

    it('shows none of them after a single one has moved to the new owner, even without the owners in an update', async () => {
      const [first] = movedBlogs();
      const { raised } = await replace('blogs', [aBlog({ ...first, organizationId: freshId('another') })]);
      expect(raised.map((raise) => raise.organizationId)).to.include(organizationId);
      expect(await list({ websiteId: moved })).to.deep.equal([0]);
      expect(await list()).to.deep.equal([6, 1, 2, 4, 5, 7, 8]);
    });

    it('hides nothing if a single blog moves to a website of another organization', async () => {
      const [first] = movedBlogs();
      await replace('blogs', [
        aBlog({ ...first, organizationId: freshId('another'), websiteId: freshId('other') }),
      ]);
      expect(await list()).to.deep.equal([8, 1, 2, 3, 4, 5, 6, 7, 8]);
    });

    it('shows none of its categories and tags, nor their names in other blogs, nor as parents', async () => {
      await giveTo('another');
      const categories = await given.categories.list(organizationId, null);
      expect(categories.map(({ id }) => id)).to.have.members([`category ${kept}`, `child ${kept}`]);
      expect(categories.map(({ parentId }) => parentId)).to.deep.equal([null, null]);
      expect(await given.categories.list(organizationId, moved)).to.deep.equal([]);
      expect((await given.tags.list(organizationId, null)).map(({ id }) => id)).to.deep.equal([
        `tag ${kept}`,
      ]);
      const detail = await given.blogs.findById(organizationId, `1 ${kept}`);
      expect(detail?.categories.map(({ id }) => id)).to.deep.equal([`category ${kept}`]);
      expect(detail?.tags.map(({ id }) => id)).to.deep.equal([`tag ${kept}`]);
      const { blogs } = await given.blogs.list(organizationId, EVERYTHING, ALL);
      expect(blogs.flatMap(({ tags }) => tags.map(({ id }) => id))).to.deep.equal(
        Array(6).fill(`tag ${kept}`),
      );
    });

    it('raises the generation of the former owner once', async () => {
      expect((await giveTo('another')).raised.map((raise) => raise.organizationId)).to.deep.equal([
        organizationId,
      ]);
      expect((await giveTo('another')).raised).to.deep.equal([]);
    });

    it('hides nothing from its owner, also when it comes back', async () => {
      const before = await list();
      expect((await giveTo(organizationId)).raised).to.deep.equal([]);
      expect(await list()).to.deep.equal(before);
      await giveTo('another');
      const { raised } = await giveTo(organizationId);
      expect(raised.map((raise) => raise.organizationId)).to.deep.equal([organizationId]);
      expect(await list()).to.deep.equal(before);
    });

    it('reports the websites with hidden rows until there are none', async () => {
      await giveTo('another');
      expect(await given.subject.hiddenWebsites())
        .to.include(moved)
        .and.not.to.include(kept);
      await giveTo(organizationId);
      expect(await given.subject.hiddenWebsites()).not.to.include(moved);
    });

    it('continues to hide the remaining rows when a job is finished', async () => {
      await giveTo('another');
      await given.subject.write(await writer.epoch(), {
        slices: [],
        jobs: [{ kind: 'finish', id: 0 }],
      });
      expect(await list({ websiteId: moved })).to.deep.equal([0]);
    });
  });
}
