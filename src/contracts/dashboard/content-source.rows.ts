import { expect } from 'chai';
import type { ApiKey } from '../../domain/model/api-key.js';
import { BLOG_TEXTS, recordOf } from '../../domain/model/blog-fields.js';
import type { SourceBlog, SourceCategory, SourceTag, SourceTypes } from '../../domain/model/source.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import type { Runner } from '../runner.js';
import { freshId } from '../support/fresh-id.js';
import { aKey, aTag } from '../support/rows.js';
import { aSourceBlog, aSourceCategory } from '../support/source-rows.js';
import { LONG_HTML, TROUBLESOME_TEXTS, TROUBLESOME_TIMES } from '../support/troublesome-values.js';
import type { ContentSourceSubject } from './content-source.subject.js';

const FOREVER = Number.POSITIVE_INFINITY;

/** The part of the content source's contract about what is read of each row. */
export function itReadsRows(runner: Runner, makeSubject: () => Promise<ContentSourceSubject>): void {
  const { describe, it, beforeEach } = runner;
  describe('asked for rows,', () => {
    let source: ContentSource;
    let put: ContentSourceSubject['put'];
    let remove: ContentSourceSubject['remove'];
    let holdsTime: NonNullable<ContentSourceSubject['holdsTime']>;
    let owner: Owner;

    beforeEach(async () => {
      ({ subject: source, put, remove, holdsTime = () => true } = await makeSubject());
      owner = newOwner();
    });

    const expectRead = async <Kind extends keyof SourceTypes>(
      kind: Kind,
      rows: readonly SourceTypes[Kind][],
    ) => {
      const { rows: read } = await source.read(
        kind,
        rows.map(({ id }) => id),
      );
      expect(read.map(inOneOrder)).to.have.deep.members(rows.map(inOneOrder));
    };

    it('reads keys with all their times, those without end or beginning too', async () => {
      const times = [...TROUBLESOME_TIMES, FOREVER, -FOREVER].filter(holdsTime);
      const keys = times.flatMap((time) => [
        newKey(owner, { expiresAt: time }),
        newKey(owner, { revokedAt: time }),
      ]);
      for (const key of keys) await put('apiKeys', key);
      await expectRead('apiKeys', keys);
    });

    it('reads every text exactly', async () => {
      for (const text of TROUBLESOME_TEXTS) {
        const texts = { name: text, slug: freshId('slug') + text };
        const category = newCategory(owner, { ...texts, id: freshId('category') + text, description: text });
        const tag = newTag(owner, { ...texts, id: freshId('tag') + text });
        const blog = newBlog(owner, {
          ...blogTexts(text),
          slug: freshId('slug') + text,
          categories: [categoryTerm(category)],
          tags: [tagTerm(tag)],
        });
        await put('categories', category);
        await put('tags', tag);
        await put('blogs', blog);
        await expectRead('categories', [category]);
        await expectRead('tags', [tag]);
        await expectRead('blogs', [blog]);
      }
    });

    it('reads nothing of a blog that is not published', async () => {
      const blogs = [
        newBlog(owner, { status: 'draft', publishedAt: null }),
        newBlog(owner, { status: 'scheduled', publishedAt: Date.UTC(2030, 0) }),
        newBlog(owner, { status: 'archived' }),
      ];
      for (const blog of blogs) await put('blogs', blog);
      const ids = blogs.map(({ id }) => id);
      expect(await source.read('blogs', ids)).to.deep.equal({ ids, rows: [], refused: [] });
      expect(await source.existing('blogs', { kind: 'everything' }, ids)).to.have.members(ids);
    });

    it('reads blogs with their times and numbers, and a content of a megabyte', async () => {
      const blogs = [
        ...[...TROUBLESOME_TIMES, FOREVER, -FOREVER]
          .filter(holdsTime)
          .map((publishedAt) => newBlog(owner, { publishedAt })),
        newBlog(owner, { contentHtml: LONG_HTML, wordCount: 2 ** 31 - 1, readingTimeMinutes: 0 }),
      ];
      for (const blog of blogs) await put('blogs', blog);
      await expectRead('blogs', blogs);
    });

    it('reads parents and terms with the organization that owns them, be it another one', async () => {
      const foreign = newOwner();
      const [ownCategory, foreignCategory] = [newCategory(owner, { sortOrder: -3 }), newCategory(foreign)];
      const [ownTag, foreignTag] = [newTag(owner), newTag(foreign)];
      const children = [ownCategory, foreignCategory].map(({ id, organizationId }) =>
        newCategory(owner, { parentId: id, parentOrganizationId: organizationId }),
      );
      const blog = newBlog(owner, {
        categories: [ownCategory, foreignCategory].map(categoryTerm),
        tags: [ownTag, foreignTag].map(tagTerm),
      });
      for (const category of [ownCategory, foreignCategory, ...children]) await put('categories', category);
      for (const tag of [ownTag, foreignTag]) await put('tags', tag);
      await put('blogs', blog);
      await expectRead('categories', [ownCategory, foreignCategory, ...children]);
      await expectRead('blogs', [blog]);
    });

    it('returns the owners of websites, and which websites were deleted', async () => {
      const [here, elsewhere, gone] = [newOwner(), newOwner(), freshId('web')];
      for (const owner of [here, elsewhere]) await put('tags', newTag(owner));
      const websiteIds = [here.websiteId, elsewhere.websiteId, gone];
      expect(await source.owners(websiteIds)).to.have.deep.members([
        here,
        elsewhere,
        { websiteId: gone, organizationId: null },
      ]);
      expect(await source.owners([])).to.deep.equal([]);
    });

    it('reads current rows: changed, moved to another website, without a deleted term', async () => {
      const tag = newTag(owner);
      const blog = newBlog(owner, { tags: [tagTerm(tag)] });
      await put('tags', tag);
      await put('blogs', blog);
      const moved = { ...blog, ...newOwner(), title: 'changed', tags: [] };
      await put('blogs', moved);
      await remove('tags', tag.id);
      await expectRead('blogs', [moved]);
    });
  });
}

export interface Owner {
  readonly organizationId: string;
  readonly websiteId: string;
}

export function newOwner(): Owner {
  return { organizationId: freshId('org'), websiteId: freshId('web') };
}

export function newKey({ organizationId }: Owner, given: Partial<ApiKey> = {}): ApiKey {
  return aKey({ id: freshId('key'), hash: freshId('hash'), organizationId, ...given });
}

export function newCategory(owner: Owner, given: Partial<SourceCategory> = {}): SourceCategory {
  return aSourceCategory({ id: freshId('category'), ...owner, ...given });
}

export function newTag(owner: Owner, given: Partial<SourceTag> = {}): SourceTag {
  return aTag({ id: freshId('tag'), ...owner, ...given });
}

export function newBlog(owner: Owner, given: Partial<SourceBlog> = {}): SourceBlog {
  return aSourceBlog({ id: freshId('blog'), ...owner, ...given });
}

function blogTexts(text: string) {
  return { title: text, contentHtml: text, ...recordOf(BLOG_TEXTS, () => text) };
}

export function tagTerm({ id, organizationId, name, slug }: SourceTag) {
  return { id, organizationId, name, slug };
}

export function categoryTerm({ id, organizationId, name, slug, sortOrder }: SourceCategory) {
  return { id, organizationId, name, slug, sortOrder };
}

/** The terms of a blog come in any order. */
function inOneOrder<Row extends object>(row: Row): Row {
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  if (!('categories' in row && 'tags' in row)) return row;
  const { categories, tags } = row as unknown as SourceBlog;
  return { ...row, categories: categories.toSorted(byId), tags: tags.toSorted(byId) };
}
