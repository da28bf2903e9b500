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
    [[], [term('news')], [term('news'), term('news-local')]].flatMap((categories) =>
      [[], [term('hot')], [term('cold'), term('hot')]].flatMap((tags) =>
        ['Ferry times', 'Walks'].map((title) => ({ websiteId, categories, tags, title })),
      ),
    ),
  )
  .map((given, at) => aBlog({ id: `b${String(at).padStart(2, '0')}`, ...given }));

for (const stage of STAGES) {
  describe(`Filters on ${stage}`, () => {
    let api: ApiUnderTest;
    let caller: Caller;
    const idsFor = async (query: string): Promise<string[]> => {
      const { data, pagination } = (await caller.get(`/api/v1/blogs?limit=100&${query}`)).json();
      expect(pagination, query).to.include({ total: data.length, pages: Math.ceil(data.length / 100) });
      return data.map(({ id }: { id: string }) => id).sort();
    };

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

    for (const websiteId of [null, 'web_a1', 'web_a2']) {
      for (const category of [null, 'news', 'news-local', 'unknown']) {
        it(`spec 4.1: filters combine with AND: website ${websiteId}, category ${category}`, async () => {
          for (const tag of [null, 'hot', 'cold']) {
            for (const search of [null, 'FERRY', 'walk', 's']) {
              const given = { website_id: websiteId, category, tag, search };
              const query = new URLSearchParams(
                Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== null),
              );
              const expected = BLOGS.filter(
                (blog) =>
                  (websiteId === null || blog.websiteId === websiteId) &&
                  (category === null || blog.categories.some(({ slug }) => slug === category)) &&
                  (tag === null || blog.tags.some(({ slug }) => slug === tag)) &&
                  (search === null || blog.title.toLowerCase().includes(search.toLowerCase())),
              );
              const ids = await idsFor(query.toString());
              expect(ids, query.toString()).to.deep.equal(expected.map(({ id }) => id));
            }
          }
        });
      }
    }

    it('spec 4.1: the pagination counts only the blogs that match the filters', async () => {
      const { data, pagination } = (await caller.get('/api/v1/blogs?tag=cold&limit=5&page=2')).json();
      expect(data).to.have.length(5);
      expect(pagination).to.deep.equal({ page: 2, limit: 5, total: 12, pages: 3 });
    });

    for (const query of [
      'category=new',
      'category=NEWS',
      'category=news%20',
      'category=%25',
      'tag=ho_',
      'tag=Hot',
    ]) {
      it(`contract 4: a slug is matched exactly: ${query} finds nothing`, async () => {
        expect(await idsFor(query)).to.deep.equal([]);
      });
    }

    it('contract 4: a category does not include its descendants', async () => {
      const [parent, child] = [term('parent'), term('child')];
      await api.put('categories', aCategory(parent), aCategory({ ...child, parentId: parent.id }));
      await api.put('blogs', aBlog({ id: 'descendant', categories: [child] }));
      expect(await idsFor('category=parent')).to.deep.equal([]);
      expect(await idsFor('category=child')).to.deep.equal(['descendant']);
      await api.remove('blogs', 'descendant');
    });

    for (const query of [
      'category=unknown',
      'tag=unknown',
      'website_id=unknown',
      'category=foreign',
      'tag=alien',
      'website_id=web_b1',
      'website_id=web_b1&category=foreign&tag=alien',
      `website_id=${'w'.repeat(4000)}`,
      'category=%F0%9F%98%80',
    ]) {
      it(`contract 6: ?${query.slice(0, 60)} returns an empty list`, async () => {
        const answer = await caller.get(`/api/v1/blogs?${query}`);
        expect(answer.status).to.equal(200);
        expect(answer.json()).to.deep.equal(EMPTY);
      });
    }

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
