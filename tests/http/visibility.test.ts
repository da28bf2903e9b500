import { expect } from 'chai';
import { aSourceBlog, aSourceCategory } from '../../src/contracts/support/source-rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { holds, STAGES_WITH_DASHBOARD } from '../support/http/stages.js';

for (const stage of STAGES_WITH_DASHBOARD) {
  describe(`Visibility on ${stage}`, () => {
    let api: ApiUnderTest;
    let caller: Caller;
    const listed = async () => (await caller.get('/api/v1/blogs')).json();

    before(async () => {
      api = await ApiUnderTest.start(stage);
    });
    beforeEach(async () => {
      caller = await Caller.of(api);
    });
    after(() => api.stop());

    const unknownStatuses = holds(stage, 'any status') ? ['PUBLISHED', 'published ', ''] : [];
    for (const status of ['draft', 'scheduled', 'archived', ...unknownStatuses]) {
      it(`contract 13: a blog whose status is "${status}" is not shown`, async () => {
        const { organizationId } = caller;
        await api.bringOver('blogs', aSourceBlog({ id: 'b', organizationId, status }));
        expect((await listed()).pagination.total).to.equal(0);
        expect((await caller.get('/api/v1/blogs/b')).status).to.equal(404);
        expect(
          (await caller.get(`/api/v1/blogs/slug/slug-of-b?website_id=${caller.websiteId}`)).status,
        ).to.equal(404);
      });
    }

    for (const year of [1970, 2026, 2999]) {
      it(`contract 13: a published blog of ${year} is shown`, async () => {
        const publishedAt = Date.UTC(year, 5, 1);
        await api.bringOver(
          'blogs',
          aSourceBlog({ id: 'b', organizationId: caller.organizationId, publishedAt }),
        );
        expect((await listed()).data).to.have.length(1);
        expect((await caller.get('/api/v1/blogs/b')).status).to.equal(200);
      });
    }

    it("contract 13: another organization's category or tag that is linked to a blog is not shown", async () => {
      const { organizationId } = caller;
      const own = { id: 'own', organizationId, name: 'Own', slug: 'own' };
      const foreign = { id: 'foreign', organizationId: 'org_other', name: 'Foreign', slug: 'foreign' };
      const categories = [own, foreign].map((term) => ({ ...term, sortOrder: 0 }));
      await api.bringOver(
        'blogs',
        aSourceBlog({ id: 'b', organizationId, categories, tags: [foreign, own] }),
      );

      const { data } = (await caller.get('/api/v1/blogs/b')).json();
      expect(data.categories).to.deep.equal([{ id: 'own', name: 'Own', slug: 'own' }]);
      expect(data.tags).to.deep.equal(data.categories);
      for (const filter of ['category', 'tag']) {
        expect((await caller.get(`/api/v1/blogs?${filter}=own`)).json().pagination.total).to.equal(1);
        expect((await caller.get(`/api/v1/blogs?${filter}=foreign`)).json().pagination.total).to.equal(0);
      }
    });

    it('contract 13: a parentId in another organization is returned as null', async () => {
      const { organizationId } = caller;
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
