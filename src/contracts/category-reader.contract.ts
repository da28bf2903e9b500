import { expect } from 'chai';
import type { CategoryRow } from '../domain/model/read-model.js';
import { RecordedSnapshot } from '../domain/model/snapshot.js';
import type { CategoryReader } from '../domain/ports/category-reader.js';
import type { Runner } from './runner.js';
import { type AdapterClass, itIsTestedItself } from './support/adapter-class.js';
import { freshId } from './support/fresh-id.js';
import { aCategory } from './support/rows.js';
import { TROUBLESOME_TEXTS } from './support/troublesome-values.js';

export interface CategoryReaderSubject {
  readonly subject: CategoryReader;
  /** Stores these categories for the reader. Each replaces the one with its id. */
  put(...categories: readonly CategoryRow[]): Promise<void>;
  remove(...ids: readonly string[]): Promise<void>;
}

export function categoryReaderContract(
  runner: Runner,
  Adapter: AdapterClass<CategoryReader>,
  makeSubject: () => Promise<CategoryReaderSubject>,
): void {
  const { describe, it, beforeEach } = runner;
  describe(`${Adapter.name}, a category reader,`, () => {
    let reader: CategoryReader;
    let put: CategoryReaderSubject['put'];
    let remove: CategoryReaderSubject['remove'];
    let organizationId: string;

    beforeEach(async () => {
      ({ subject: reader, put, remove } = await makeSubject());
      organizationId = freshId('org');
    });

    const newCategory = (given: Partial<CategoryRow> = {}) =>
      aCategory({ id: freshId('category'), organizationId, ...given });

    itIsTestedItself(runner, Adapter, () => reader);

    it('lists nothing for an organization without content', async () => {
      expect(await reader.list(organizationId, null)).to.deep.equal([]);
      expect(await reader.list(organizationId, 'web_1')).to.deep.equal([]);
    });

    it('lists all categories of an organization, as they are and without its name', async () => {
      const categories = TROUBLESOME_TEXTS.map((text, index) =>
        newCategory({
          name: text,
          slug: text,
          description: text,
          websiteId: `web ${text}`,
          parentId: index === 0 ? null : text,
          sortOrder: index === 1 ? 2 ** 31 - 1 : -(2 ** 31) + index,
        }),
      );
      await put(...categories);
      const listed = await reader.list(organizationId, null);
      expect(listed).to.have.deep.members(categories.map(toListed));
    });

    it('lists the categories of one website, named exactly', async () => {
      const websiteIds = TROUBLESOME_TEXTS.map((text) => `web ${text}`);
      const categories = websiteIds.map((websiteId) => newCategory({ websiteId }));
      await put(...categories);
      for (const [index, websiteId] of websiteIds.entries()) {
        expect((await reader.list(organizationId, websiteId)).map(({ id }) => id)).to.deep.equal([
          categories[index]?.id,
        ]);
      }
      for (const otherId of ['web_', 'web%', 'WEB null', '']) {
        expect(await reader.list(organizationId, otherId), otherId).to.deep.equal([]);
      }
    });

    it('separates organizations whose categories share websites and slugs', async () => {
      const shared = { websiteId: 'web_shared', slug: 'shared', name: 'Shared' };
      const category = newCategory(shared);
      const foreign = newCategory({ ...shared, organizationId: freshId('org') });
      await put(category, foreign);
      for (const websiteId of [null, 'web_shared']) {
        expect(await reader.list(organizationId, websiteId)).to.deep.equal([toListed(category)]);
        expect(await reader.list(foreign.organizationId, websiteId)).to.deep.equal([toListed(foreign)]);
        for (const otherId of [freshId('org'), '', '%', organizationId.toUpperCase()]) {
          expect(await reader.list(otherId, websiteId), otherId).to.deep.equal([]);
        }
      }
    });

    it('shows at once that a category was changed, moved or deleted', async () => {
      const category = newCategory();
      const moved = { ...category, name: 'New name', organizationId: freshId('org') };
      await put(category);
      await put({ ...category, name: 'New name' });
      expect(await reader.list(organizationId, null)).to.deep.equal([
        toListed({ ...category, name: 'New name' }),
      ]);
      await put(moved);
      expect(await reader.list(organizationId, null)).to.deep.equal([]);
      expect(await reader.list(moved.organizationId, null)).to.deep.equal([toListed(moved)]);
      await remove(category.id);
      expect(await reader.list(moved.organizationId, null)).to.deep.equal([]);
    });

    it('returns what it has, however new the requested state is', async () => {
      const category = newCategory();
      await put(category);
      for (const since of [0, Number.MAX_SAFE_INTEGER]) {
        const snapshot = new RecordedSnapshot(since);
        expect(await reader.list(organizationId, null, snapshot)).to.deep.equal([toListed(category)]);
        expect(snapshot.generation).to.be.within(0, since);
      }
    });
  });
}

function toListed({ organizationId, ...category }: CategoryRow) {
  return category;
}
