import { expect } from 'chai';
import { aBlog, aCategory, aTag } from '../../src/contracts/support/rows.js';
import { aSourceBlog } from '../../src/contracts/support/source-rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { holds, STAGES } from '../support/http/stages.js';

/** In alphabetical order, digits first. Accents decide only between equal letters, case only between equal accents. */
const NAMES = [
  '10 ways',
  '2 ways',
  'apple',
  'Apple',
  'äpple',
  'Äpple',
  'Banana',
  'coté',
  'côte',
  'coter',
  'Zebra',
  'zoo',
  'Ωmega',
  'яхта',
];
/** By code point, U+FF5E comes before U+1F600. By UTF-16 code unit, it would come after. */
const IDS_BY_CODE_POINT = ['A', 'B10', 'B2', 'a', 'é', '～', '😀', '😀a'];

const scrambled = <Item>(items: readonly Item[]): Item[] =>
  [...items.filter((_, at) => at % 2 === 1), ...items.filter((_, at) => at % 2 === 0)].reverse();

for (const stage of STAGES) {
  describe(`Ordering on ${stage}`, () => {
    let api: ApiUnderTest;
    let caller: Caller;
    let organizationId: string;
    const list = async (path: string) =>
      (await caller.get(path)).json().data as { id: string; name: string }[];
    const idsOf = async (path: string) => (await list(path)).map(({ id }) => id);

    before(async () => {
      api = await ApiUnderTest.start(stage);
    });
    beforeEach(async () => {
      caller = await Caller.of(api);
      organizationId = caller.organizationId;
    });
    after(() => api.stop());

    it('contract 12: blogs are sorted newest first, to the millisecond', async () => {
      const times = [
        Date.UTC(2027, 0),
        Date.UTC(2026, 0, 1, 0, 0, 0, 2),
        Date.UTC(2026, 0, 1, 0, 0, 0, 1),
        Date.UTC(1999, 0),
        -1,
      ];
      const blogs = times.map((publishedAt, at) =>
        aBlog({ id: `by-time-${at}`, organizationId, publishedAt }),
      );
      await api.put('blogs', ...scrambled(blogs));
      expect(await idsOf('/api/v1/blogs')).to.deep.equal(blogs.map(({ id }) => id));
    });

    it('contract 12: blogs of the same time are sorted by id, descending by code point, and pages never overlap', async () => {
      const ids = IDS_BY_CODE_POINT.map((id) => `tied-${id}`);
      await api.put('blogs', ...scrambled(ids).map((id) => aBlog({ id, organizationId })));
      expect(await idsOf('/api/v1/blogs')).to.deep.equal(ids.toReversed());
      const pages = await Promise.all([1, 2, 3].map((page) => idsOf(`/api/v1/blogs?limit=3&page=${page}`)));
      expect(pages.flat()).to.deep.equal(ids.toReversed());
    });

    for (const written of [
      '1969-12-31T23:59:59.999Z',
      '1970-01-01T00:00:00.000Z',
      '0001-01-01T00:00:00.000Z',
      '1900-06-01T12:34:56.700Z',
      '2026-01-15T12:00:00.000Z',
      '2999-12-31T23:59:59.999Z',
      '9999-12-31T23:59:59.999Z',
      ...(holds(stage, 'years of five digits') ? ['+012345-06-07T08:09:10.011Z'] : []),
    ]) {
      it(`contract 12: publishedAt ${written} is returned unchanged, and its blog is visible`, async () => {
        await api.put('blogs', aBlog({ id: 'dated', organizationId, publishedAt: Date.parse(written) }));
        expect((await caller.get('/api/v1/blogs/dated')).json().data.publishedAt).to.equal(written);
        expect((await caller.get('/api/v1/blogs')).json().data[0].publishedAt).to.equal(written);
      });
    }

    it('contract 12: the order uses the value that is shown', async () => {
      // Finer digits of the dashboard's time are cut off. Both blogs show the same time, so the id decides.
      const publishedAt = Date.UTC(2026, 0, 1, 0, 0, 0, 1);
      await api.bringOver('blogs', aSourceBlog({ id: 'cut-a', organizationId, publishedAt }));
      await api.bringOver('blogs', aSourceBlog({ id: 'cut-b', organizationId, publishedAt }));
      expect(await idsOf('/api/v1/blogs')).to.deep.equal(['cut-b', 'cut-a']);
    });

    it('contract 12: categories are sorted by sortOrder, as a number', async () => {
      const categories = [-2147483648, -10, -9, 0, 2, 10, 2147483647].map((sortOrder) =>
        aCategory({ id: `sorted-${sortOrder}`, organizationId, sortOrder, name: `${-sortOrder}` }),
      );
      await api.put('categories', ...scrambled(categories));
      expect(await idsOf('/api/v1/categories')).to.deep.equal(categories.map(({ id }) => id));
    });

    it('contract 12: categories of the same sortOrder are sorted by name, alphabetically', async () => {
      const categories = NAMES.map((name, at) => aCategory({ id: `named-${at}`, organizationId, name }));
      await api.put('categories', ...scrambled(categories));
      expect((await list('/api/v1/categories')).map(({ name }) => name)).to.deep.equal(NAMES);
    });

    it('contract 12: tags are sorted by name, alphabetically', async () => {
      const tags = NAMES.map((name, at) => aTag({ id: `named-${at}`, organizationId, name }));
      await api.put('tags', ...scrambled(tags));
      expect((await list('/api/v1/tags')).map(({ name }) => name)).to.deep.equal(NAMES);
    });

    it('contract 12: categories and tags of the same name are sorted by id, by code point', async () => {
      const rows = scrambled(IDS_BY_CODE_POINT).map((id) => ({ id, organizationId, name: 'Same' }));
      await api.put('categories', ...rows.map(aCategory));
      await api.put('tags', ...rows.map(aTag));
      expect(await idsOf('/api/v1/categories')).to.deep.equal(IDS_BY_CODE_POINT);
      expect(await idsOf('/api/v1/tags')).to.deep.equal(IDS_BY_CODE_POINT);
    });

    it('contract 12: the order of a whole list does not depend on the websites', async () => {
      const rows = NAMES.map((name, at) => ({
        id: `w-${at}`,
        organizationId,
        name,
        websiteId: `web_${at % 3}`,
      }));
      await api.put('categories', ...scrambled(rows).map(aCategory));
      await api.put('tags', ...scrambled(rows).map(aTag));
      const ofOne = rows.filter(({ websiteId }) => websiteId === 'web_1').map(({ id }) => id);
      for (const path of ['/api/v1/categories', '/api/v1/tags']) {
        expect(await idsOf(path)).to.deep.equal(rows.map(({ id }) => id));
        expect(await idsOf(`${path}?website_id=web_1`)).to.deep.equal(ofOne);
      }
    });

    it('contract 12: the categories and tags of a blog are sorted in the same two orders', async () => {
      const terms = NAMES.map((name, at) => ({ id: `in-${at}`, organizationId, name, slug: `s-${at}` }));
      const last = { id: 'in-last', organizationId, name: 'Aardvark', slug: 'last', sortOrder: 1 };
      const categories = scrambled([...terms.map((term) => ({ ...term, sortOrder: 0 })), last]);
      const source = aSourceBlog({ id: 'with-terms', organizationId, categories, tags: scrambled(terms) });
      await api.bringOver('blogs', source);
      for (const path of ['/api/v1/blogs/with-terms', '/api/v1/blogs']) {
        const { data } = (await caller.get(path)).json();
        const blog = Array.isArray(data) ? data[0] : data;
        expect(blog.tags.map(({ name }: { name: string }) => name)).to.deep.equal(NAMES);
        const names = blog.categories.map(({ name }: { name: string }) => name);
        expect(names).to.deep.equal([...NAMES, 'Aardvark']);
      }
    });
  });
}
