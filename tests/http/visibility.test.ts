import { expect } from 'chai';
import { aSourceBlog, aSourceCategory } from '../../src/contracts/support/source-rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { holds, STAGES_WITH_DASHBOARD } from '../support/http/stages.js';

/** What is shown is decided by the projection: here, its decisions reach the answers, from a dashboard too. */
for (const stage of STAGES_WITH_DASHBOARD) {
  describe(`Visibility on ${stage}`, () => {
    let api: ApiUnderTest;
    let caller: Caller;
    let organizationId: string;

    before(async () => {
      api = await ApiUnderTest.start(stage);
    });
    beforeEach(async () => {
      caller = await Caller.of(api);
      ({ organizationId } = caller);
    });
    after(() => api.stop());

    const unknownStatuses = holds(stage, 'any status') ? ['PUBLISHED', ''] : [];
    for (const [status, year] of [
      ...['draft', 'scheduled', 'archived', ...unknownStatuses].map((hidden) => [hidden, 2026] as const),
      ...[1970, 2999].map((shown) => ['published', shown] as const),
    ]) {
      it(`contract 13: a blog of ${year} whose status is "${status}" is ${status === 'published' ? '' : 'not '}shown`, async () => {
        const publishedAt = Date.UTC(year, 5, 1);
        await api.bringOver('blogs', aSourceBlog({ id: 'b', organizationId, status, publishedAt }));
        const isShown = status === 'published';
        expect((await caller.get('/api/v1/blogs')).json().data).to.have.length(isShown ? 1 : 0);
        for (const path of ['b', `slug/slug-of-b?website_id=${caller.websiteId}`]) {
          expect((await caller.get(`/api/v1/blogs/${path}`)).status).to.equal(isShown ? 200 : 404);
        }
      });
    }

    it("contract 13: another organization's category or tag that is linked to a blog is not shown", async () => {
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
