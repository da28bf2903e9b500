import { expect } from 'chai';
import { aBlog, aCategory, aTag } from '../../src/contracts/support/rows.js';
import { aSourceBlog, aSourceCategory } from '../../src/contracts/support/source-rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { holds, STAGES_WITH_DASHBOARD } from '../support/http/stages.js';

const NAMES = ['2 ways', 'apple', 'Äpple', 'Zebra', 'Ωmega'];
const SCRAMBLED = [3, 0, 4, 2, 1];

/** What is shown, and in which order, is decided by the projection and policies: here, it reaches the answers. */
for (const stage of STAGES_WITH_DASHBOARD) {
  describe(`Visibility on ${stage}`, () => {
    let api: ApiUnderTest;
    let caller: Caller;
    let organizationId: string;
    const list = async (path: string) => (await caller.get(path)).json().data as readonly { name: string }[];
    const namesOf = (items: readonly { name: string }[]) => items.map(({ name }) => name);

    before(async () => {
      api = await ApiUnderTest.start(stage);
    });
    beforeEach(async () => {
      caller = await Caller.of(api);
      ({ organizationId } = caller);
    });
    after(() => api.stop());

    const unknownStatuses = holds(stage, 'any status') ? ['PUBLISHED', ''] : [];
    for (const status of ['draft', 'scheduled', 'archived', ...unknownStatuses]) {
      it(`contract 13: a blog whose status is "${status}" is not shown`, async () => {
        await api.bringOver('blogs', aSourceBlog({ id: 'b', organizationId, status }));
        expect(await list('/api/v1/blogs')).to.deep.equal([]);
        for (const path of ['b', `slug/slug-of-b?website_id=${caller.websiteId}`]) {
          expect((await caller.get(`/api/v1/blogs/${path}`)).status).to.equal(404);
        }
      });
    }

    for (const written of [
      '0001-01-01T00:00:00.000Z',
      '1969-12-31T23:59:59.999Z',
      '9999-12-31T23:59:59.999Z',
      ...(holds(stage, 'years of five digits') ? ['+012345-06-07T08:09:10.011Z'] : []),
    ]) {
      it(`contract 12, 13: a published blog of ${written} is shown, with this date`, async () => {
        await api.put('blogs', aBlog({ id: 'dated', organizationId, publishedAt: Date.parse(written) }));
        expect((await caller.get('/api/v1/blogs/dated')).json().data.publishedAt).to.equal(written);
        expect((await list('/api/v1/blogs'))[0]).to.include({ publishedAt: written });
      });
    }

    it('contract 12: categories are sorted by sortOrder as a number, then by name, tags by name', async () => {
      const rows = SCRAMBLED.map((place) => ({ id: `n-${place}`, organizationId, name: NAMES[place] ?? '' }));
      const last = [10, 9].map((sortOrder) => ({ id: `s-${sortOrder}`, organizationId, sortOrder }));
      await api.put('categories', ...[...last, ...rows].map((row) => aCategory({ sortOrder: 0, ...row })));
      await api.put('tags', ...rows.map((row) => aTag(row)));
      expect(namesOf(await list('/api/v1/tags'))).to.deep.equal(NAMES);
      expect(namesOf(await list('/api/v1/categories'))).to.deep.equal([
        ...NAMES,
        'Name of s-9',
        'Name of s-10',
      ]);
    });

    it("contract 12, 13: a blog's terms are sorted in the same orders, without those of another organization", async () => {
      const tags = SCRAMBLED.map((place) => {
        const name = NAMES[place] ?? '';
        return { id: `t-${place}`, organizationId, name, slug: `s-${place}`, sortOrder: 0 };
      });
      const last = { organizationId, id: 'last', name: 'Aardvark', slug: 'last', sortOrder: 1 };
      const foreign = { ...last, id: 'foreign', organizationId: 'org_other', slug: 'foreign' };
      const terms = { tags: [foreign, ...tags], categories: [last, foreign, ...tags] };
      await api.bringOver('blogs', aSourceBlog({ id: 'b', organizationId, ...terms }));

      const { data } = (await caller.get('/api/v1/blogs/b')).json();
      expect(namesOf(data.tags)).to.deep.equal(NAMES);
      expect(namesOf(data.categories)).to.deep.equal([...NAMES, 'Aardvark']);
      for (const [filter, total] of [
        ['category=last', 1],
        ['category=foreign', 0],
        ['tag=s-1', 1],
        ['tag=foreign', 0],
      ]) {
        const { pagination } = (await caller.get(`/api/v1/blogs?${filter}`)).json();
        expect(pagination.total, String(filter)).to.equal(total);
      }
    });

    it('contract 13: a parentId in another organization is returned as null', async () => {
      const parents = { adopted: 'org_other', 'at-home': organizationId, root: null };
      for (const [id, parentOrganizationId] of Object.entries(parents)) {
        const parentId = parentOrganizationId === null ? null : `parent-of-${id}`;
        const category = aSourceCategory({ id, organizationId, parentId, parentOrganizationId });
        await api.bringOver('categories', category);
      }
      const { data } = (await caller.get('/api/v1/categories')).json();
      const parentOf = (child: string) => data.find(({ id }: { id: string }) => id === child).parentId;
      expect(Object.keys(parents).map(parentOf)).to.deep.equal([null, 'parent-of-at-home', null]);
    });
  });
}
