import { expect } from 'chai';
import { aBlog, aCategory, aTag } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { STAGES } from '../support/http/stages.js';

const EMPTY = { data: [], pagination: { page: 1, limit: 20, total: 0, pages: 0 } };
const term = (slug: string) => ({ id: `id-of-${slug}`, name: `Name of ${slug}`, slug });

/** One blog for each combination of values that the filters distinguish. */
const BLOGS = ['web_a1', 'web_a2']
  .flatMap((websiteId) =>
    [[], [term('news')]].flatMap((categories) =>
      [[], [term('hot')]].flatMap((tags) =>
        ['Ferry times', 'Walks'].map((title) => ({ websiteId, categories, tags, title })),
      ),
    ),
  )
  .map((given, index) => aBlog({ id: `b${String(index).padStart(2, '0')}`, ...given }));

for (const stage of STAGES) {
  describe(`Filters on ${stage}`, () => {
    let api: ApiUnderTest;
    let caller: Caller;

    before(async () => {
      api = await ApiUnderTest.start(stage);
      caller = await Caller.of(api, 'org_a');
      const otherTenant = { organizationId: 'org_b', websiteId: 'web_b1' };
      await api.put('blogs', ...BLOGS);
      await api.put(
        'blogs',
        aBlog({ id: 'other', ...otherTenant, categories: [term('foreign')], tags: [term('alien')] }),
      );
      await api.put('categories', aCategory({ id: 'c1' }), aCategory({ id: 'other-c', ...otherTenant }));
      await api.put('tags', aTag({ id: 't1' }), aTag({ id: 'other-t', ...otherTenant }));
    });
    after(() => api.stop());

    it('spec 4.1: filters combine with AND, and the pagination counts only what matches', async () => {
      const options = {
        website_id: [null, 'web_a1'],
        category: [null, 'news'],
        tag: [null, 'hot'],
        search: [null, 'FERRY'],
      };
      for (let combination = 0; combination < 16; combination++) {
        const [websiteId = null, category = null, tag = null, search = null] = Object.values(options).map(
          (values, index) => values[(combination >> index) & 1],
        );
        const given = Object.entries({ website_id: websiteId, category, tag, search });
        const query = new URLSearchParams(
          given.filter((entry): entry is [string, string] => entry[1] !== null),
        );
        const expected = BLOGS.filter(
          (blog) =>
            (websiteId === null || blog.websiteId === websiteId) &&
            (category === null || blog.categories.length > 0) &&
            (tag === null || blog.tags.length > 0) &&
            (search === null || blog.title.startsWith('Ferry')),
        );
        const { data, pagination } = (await caller.get(`/api/v1/blogs?limit=3&${query}`)).json();
        const total = expected.length;
        expect(pagination, query.toString()).to.eql({
          page: 1,
          limit: 3,
          total,
          pages: Math.ceil(total / 3),
        });
        expect(
          data.map(({ id }: { id: string }) => id),
          query.toString(),
        ).to.eql(
          expected
            .map(({ id }) => id)
            .reverse()
            .slice(0, 3),
        );
      }
    });

    it('contract 6: a filter that nothing matches, or that names content of another organization, returns an empty list', async () => {
      for (const query of [
        'category=unknown',
        'tag=unknown',
        'website_id=unknown',
        'category=foreign',
        'tag=alien',
        'website_id=web_b1&category=foreign&tag=alien',
        `website_id=${'w'.repeat(4000)}`,
        'category=%F0%9F%98%80',
        'category=NEWS',
      ]) {
        const answer = await caller.get(`/api/v1/blogs?${query}`);
        expect(answer.status, query).to.equal(200);
        expect(answer.json(), query).to.deep.equal(EMPTY);
      }
    });

    for (const path of ['/api/v1/categories', '/api/v1/tags']) {
      it(`contract 6: ${path} of an unknown website, or of another organization's, returns an empty list`, async () => {
        for (const websiteId of ['unknown', 'web_b1']) {
          const answer = await caller.get(`${path}?website_id=${websiteId}`);
          expect(answer.status).to.equal(200);
          expect(answer.json()).to.deep.equal({ data: [] });
        }
      });
    }
  });
}
