import { expect } from 'chai';
import { aBlog, aCategory, aTag } from '../../src/contracts/support/rows.js';
import { aSourceBlog } from '../../src/contracts/support/source-rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { holds, STAGES } from '../support/http/stages.js';

/** The orders are in the policies, and the contract of the blog reader: here, each list has its order. */
const NAMES = ['2 ways', 'apple', 'Äpple', 'Zebra', 'Ωmega'];
const SCRAMBLED = [3, 0, 4, 2, 1];

for (const stage of STAGES) {
  describe(`Ordering on ${stage}`, () => {
    let api: ApiUnderTest;
    let caller: Caller;
    let organizationId: string;
    const list = async (path: string) =>
      (await caller.get(path)).json().data as { id: string; name: string }[];
    const idsOf = async (path: string) => (await list(path)).map(({ id }) => id);
    const namesOf = async (path: string) => (await list(path)).map(({ name }) => name);

    before(async () => {
      api = await ApiUnderTest.start(stage);
    });
    beforeEach(async () => {
      caller = await Caller.of(api);
      organizationId = caller.organizationId;
    });
    after(() => api.stop());

    for (const written of [
      '1969-12-31T23:59:59.999Z',
      '0001-01-01T00:00:00.000Z',
      '2026-01-15T12:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
      ...(holds(stage, 'years of five digits') ? ['+012345-06-07T08:09:10.011Z'] : []),
    ]) {
      it(`contract 12: publishedAt ${written} is returned unchanged, and its blog is visible`, async () => {
        await api.put('blogs', aBlog({ id: 'dated', organizationId, publishedAt: Date.parse(written) }));
        expect((await caller.get('/api/v1/blogs/dated')).json().data.publishedAt).to.equal(written);
        expect((await caller.get('/api/v1/blogs')).json().data[0].publishedAt).to.equal(written);
      });
    }

    it('contract 12: categories are sorted by sortOrder as a number, then by name, tags by name', async () => {
      const named = SCRAMBLED.map((place) => ({
        id: `n-${place}`,
        organizationId,
        name: NAMES[place] ?? '',
      }));
      const categories = [10, 9].map((sortOrder) => ({ id: `s-${sortOrder}`, organizationId, sortOrder }));
      await api.put(
        'categories',
        ...[...categories, ...named].map((row) => aCategory({ sortOrder: 0, ...row })),
      );
      await api.put('tags', ...named.map((row) => aTag(row)));
      expect(await namesOf('/api/v1/tags')).to.deep.equal(NAMES);
      expect(await idsOf('/api/v1/categories')).to.deep.equal([
        'n-0',
        'n-1',
        'n-2',
        'n-3',
        'n-4',
        's-9',
        's-10',
      ]);
    });

    it('contract 12: the categories and tags of a blog are sorted in the same two orders', async () => {
      const terms = SCRAMBLED.map((place) => {
        const name = NAMES[place] ?? '';
        return { id: `in-${place}`, organizationId, name, slug: `s-${place}` };
      });
      const last = { id: 'in-last', organizationId, name: 'Aardvark', slug: 'last', sortOrder: 1 };
      const categories = [last, ...terms.map((term) => ({ ...term, sortOrder: 0 }))];
      await api.bringOver(
        'blogs',
        aSourceBlog({ id: 'with-terms', organizationId, categories, tags: terms }),
      );
      const { data } = (await caller.get('/api/v1/blogs/with-terms')).json();
      const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);
      expect(names(data.tags)).to.deep.equal(NAMES);
      expect(names(data.categories)).to.deep.equal([...NAMES, 'Aardvark']);
    });
  });
}
