import { expect } from 'chai';
import type { Scope, WideKind } from '../../domain/model/job.js';
import type { RowKind } from '../../domain/model/read-model.js';
import type { SourceBlog, SourceCategory, SourceTag } from '../../domain/model/source.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import type { Runner } from '../runner.js';
import { freshId } from '../support/fresh-id.js';
import {
  categoryTerm,
  newBlog,
  newCategory,
  newKey,
  newOwner,
  newTag,
  type Owner,
  tagTerm,
} from './content-source.rows.js';
import type { ContentSourceSubject } from './content-source.subject.js';

const KINDS: readonly RowKind[] = ['apiKeys', 'categories', 'tags', 'blogs'];

/** The part of the content source's contract about which rows show content of others. */
export function itFindsDependentRows(runner: Runner, makeSubject: () => Promise<ContentSourceSubject>): void {
  const { describe, it, beforeEach } = runner;
  describe('asked for rows that show content of others,', () => {
    let source: ContentSource;
    let put: ContentSourceSubject['put'];
    let owner: Owner;
    let elsewhere: Owner;

    beforeEach(async () => {
      ({ subject: source, put } = await makeSubject());
      owner = newOwner();
      elsewhere = newOwner();
    });

    const putKey = async (of: Owner) => {
      const key = newKey(of);
      await put('apiKeys', key);
      return key.id;
    };
    const putCategory = async (of: Owner, parent: SourceCategory | null = null) => {
      const parentOrganizationId = parent?.organizationId ?? null;
      const category = newCategory(of, { parentId: parent?.id ?? null, parentOrganizationId });
      await put('categories', category);
      return category;
    };
    const putTag = async (of: Owner) => {
      const tag = newTag(of);
      await put('tags', tag);
      return tag;
    };
    const putBlog = async (
      of: Owner,
      terms: { categories?: readonly SourceCategory[]; tags?: readonly SourceTag[] } = {},
    ): Promise<SourceBlog> => {
      const { categories = [], tags = [] } = terms;
      const blog = newBlog(of, { categories: categories.map(categoryTerm), tags: tags.map(tagTerm) });
      await put('blogs', blog);
      return blog;
    };

    async function walk(kind: RowKind, scope: Scope, step: number): Promise<string[]> {
      const walked: string[] = [];
      for (;;) {
        const ids = await source.keys(kind, scope, walked.at(-1) ?? null, step);
        if (ids.length === 0) return walked;
        expect(ids.length).to.be.most(step);
        // A walk that goes back would never end.
        expect(walked).not.to.include(ids.at(-1));
        walked.push(...ids);
      }
    }

    async function expectInScope(
      scope: Scope,
      expected: { readonly [Kind in RowKind]?: readonly { id: string }[] },
    ): Promise<void> {
      for (const kind of KINDS) {
        const ids = (expected[kind] ?? []).map(({ id }) => id);
        const walked = await walk(kind, scope, 100);
        expect(walked, kind).to.have.members(ids);
        const all = await walk(kind, { kind: 'everything' }, 1_000);
        expect(await source.existing(kind, scope, [freshId('gone'), ...all]), kind).to.have.members(ids);
        for (const step of [1, 2, 3]) {
          expect(await walk(kind, scope, step), `${kind} in steps of ${step}`).to.deep.equal(walked);
        }
      }
    }

    it('finds the children and the blogs of categories, of whatever website and status', async () => {
      const [one, other, unasked] = [
        await putCategory(owner),
        await putCategory(owner),
        await putCategory(owner),
      ];
      const child = await putCategory(owner, one);
      const children = [child, await putCategory(elsewhere, one), await putCategory(owner, other)];
      await putCategory(owner, child);
      await putCategory(owner, unasked);
      const draft = newBlog(owner, {
        status: 'draft',
        publishedAt: null,
        categories: [one].map(categoryTerm),
      });
      await put('blogs', draft);
      const blogs = [
        draft,
        await putBlog(owner, { categories: [one, other] }),
        await putBlog(elsewhere, { categories: [unasked, other] }),
      ];
      await putBlog(owner, { categories: [unasked, child], tags: [await putTag(owner)] });
      await putBlog(owner);
      await putKey(owner);
      await expectInScope({ kind: 'categories', keys: [one.id, other.id] }, { categories: children, blogs });
    });

    it('finds the blogs of tags', async () => {
      const [one, other, unasked] = [await putTag(owner), await putTag(owner), await putTag(owner)];
      const blogs = [
        await putBlog(owner, { tags: [one] }),
        await putBlog(owner, { tags: [one, other, unasked] }),
        await putBlog(elsewhere, { tags: [other] }),
      ];
      await putBlog(owner, { tags: [unasked], categories: [await putCategory(owner)] });
      await putKey(owner);
      await expectInScope({ kind: 'tags', keys: [one.id, other.id] }, { blogs });
    });

    it('finds all rows of websites, and rows elsewhere that show their terms', async () => {
      const second = { ...owner, websiteId: freshId('web') };
      const [category, tag] = [await putCategory(owner), await putTag(second)];
      const [foreignCategory, foreignTag] = [await putCategory(elsewhere), await putTag(elsewhere)];
      const categories = [
        category,
        await putCategory(owner, category),
        await putCategory(second, foreignCategory),
        await putCategory(elsewhere, category),
      ];
      const blogs = [
        await putBlog(owner, { categories: [category], tags: [tag] }),
        await putBlog(second, { categories: [foreignCategory] }),
        await putBlog(elsewhere, { categories: [foreignCategory, category] }),
        await putBlog(elsewhere, { tags: [foreignTag, tag] }),
      ];
      await putBlog(elsewhere, { categories: [foreignCategory], tags: [foreignTag] });
      await putCategory(elsewhere, foreignCategory);
      await putKey(owner);
      const scope: Scope = { kind: 'websites', keys: [owner.websiteId, second.websiteId] };
      await expectInScope(scope, { categories, tags: [tag], blogs });
    });

    for (const kind of ['categories', 'tags', 'websites'] as const satisfies readonly WideKind[]) {
      it(`finds nothing for ${kind} that no row shows, that do not exist, or for an empty list`, async () => {
        const [category, tag] = [await putCategory(owner), await putTag(owner)];
        await putBlog(owner, { categories: [category], tags: [tag] });
        await expectInScope({ kind, keys: [freshId('gone'), '%', "'"] }, {});
        await expectInScope({ kind, keys: [] }, {});
      });
    }

    it('continues after a row whose owner has changed meanwhile', async () => {
      const tag = await putTag(owner);
      for (let n = 0; n < 3; n++) await putBlog(owner, { tags: [tag] });
      const scope: Scope = { kind: 'tags', keys: [tag.id] };
      const [first, second, third] = (await walk('blogs', scope, 10)) as [string, string, string];
      await put('blogs', newBlog(owner, { id: second }));
      expect(await source.keys('blogs', scope, first, 10)).to.deep.equal([third]);
      expect(await source.keys('blogs', scope, second, 10)).to.deep.equal([third]);
      expect(await source.keys('blogs', scope, third, 10)).to.deep.equal([]);
    });
  });
}
