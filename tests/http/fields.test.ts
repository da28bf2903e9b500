import { expect } from 'chai';
import { aBlog, aCategory, aTag } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { STAGES } from '../support/http/stages.js';

const FULL_BLOG = {
  id: 'full',
  title: 'Ferries & "footpaths" <b>',
  slug: 'ferries',
  excerpt: 'A summary',
  metaTitle: 'Meta title',
  metaDescription: 'Meta description',
  featuredImageUrl: 'https://cdn.example/ferry.jpg',
  featuredImageAlt: 'A ferry',
  wordCount: 1234,
  readingTimeMinutes: 6,
  publishedAt: '2026-01-02T03:04:05.678Z',
  websiteId: 'web_a1',
};
const BARE_BLOG = {
  ...FULL_BLOG,
  id: 'bare',
  slug: 'bare',
  excerpt: null,
  metaTitle: null,
  metaDescription: null,
  featuredImageUrl: null,
  featuredImageAlt: null,
  wordCount: 0,
  readingTimeMinutes: 0,
  publishedAt: '2026-01-01T00:00:00.000Z',
};
const CONTENT = '<h1>Ünïcode 🚢</h1>\n<script>"\\"</script>';
const CATEGORY = { id: 'c1', name: 'Boats', slug: 'boats' };
const TAGS = [
  { id: 't1', name: 'Harbour', slug: 'harbour' },
  { id: 't2', name: 'Island', slug: 'island' },
];
const withoutId = ({ name, slug }: { name: string; slug: string }) => ({ name, slug });

for (const stage of STAGES) {
  describe(`Fields on ${stage}`, () => {
    let api: ApiUnderTest;
    let caller: Caller;
    const bodyOf = async (path: string) => {
      const answer = await caller.get(path);
      expect(answer.status).to.equal(200);
      return answer.json();
    };

    before(async () => {
      api = await ApiUnderTest.start(stage);
      caller = await Caller.of(api, 'org_a');
      const stored = { contentHtml: CONTENT, publishedAt: Date.parse(FULL_BLOG.publishedAt) };
      await api.put(
        'blogs',
        aBlog({ ...FULL_BLOG, ...stored, categories: [CATEGORY], tags: TAGS }),
        aBlog({ ...BARE_BLOG, contentHtml: '', publishedAt: Date.parse(BARE_BLOG.publishedAt) }),
      );
      await api.put(
        'categories',
        aCategory({ ...CATEGORY, description: 'All of them', sortOrder: -3 }),
        aCategory({ id: 'c2', parentId: 'c1', sortOrder: 7, websiteId: 'web_a2' }),
      );
      await api.put('tags', ...TAGS.map((tag) => aTag({ ...tag, color: '#0a1B2c' })));
    });
    after(() => api.stop());

    it('spec 2.1: a blog of the list has exactly its fields, without contentHtml and without the ids of its terms', async () => {
      expect((await bodyOf('/api/v1/blogs')).data).to.deep.equal([
        { ...FULL_BLOG, categories: [withoutId(CATEGORY)], tags: TAGS.map(withoutId) },
        { ...BARE_BLOG, categories: [], tags: [] },
      ]);
    });

    for (const [path, barePath] of [
      ['/api/v1/blogs/full', '/api/v1/blogs/bare'],
      ['/api/v1/blogs/slug/ferries?website_id=web_a1', '/api/v1/blogs/slug/bare?website_id=web_a1'],
    ] as const) {
      it(`spec 2.2: ${path} has exactly its fields, with contentHtml and the ids of its terms`, async () => {
        expect(await bodyOf(path)).to.deep.equal({
          data: { ...FULL_BLOG, contentHtml: CONTENT, categories: [CATEGORY], tags: TAGS },
        });
      });

      it(`spec 2.2: ${barePath} has null in every nullable field, and omits no field`, async () => {
        expect(await bodyOf(barePath)).to.deep.equal({
          data: { ...BARE_BLOG, contentHtml: '', categories: [], tags: [] },
        });
      });
    }

    it('spec 2.3: a category has exactly its fields; its parentId may be null, or the id of a category outside the list', async () => {
      const parent = {
        ...CATEGORY,
        description: 'All of them',
        parentId: null,
        sortOrder: -3,
        websiteId: 'web_a1',
      };
      const child = {
        id: 'c2',
        name: 'Name of c2',
        slug: 'slug-of-c2',
        description: '',
        parentId: 'c1',
        sortOrder: 7,
        websiteId: 'web_a2',
      };
      expect((await bodyOf('/api/v1/categories')).data).to.deep.equal([parent, child]);
      expect((await bodyOf('/api/v1/categories?website_id=web_a2')).data).to.deep.equal([child]);
    });

    it('spec 2.4: a tag has exactly its fields', async () => {
      expect((await bodyOf('/api/v1/tags')).data).to.deep.equal(
        TAGS.map((tag) => ({ ...tag, color: '#0a1B2c', websiteId: 'web_a1' })),
      );
    });

    it('spec 4: answers are JSON in UTF-8, whatever Accept contains', async () => {
      for (const accept of ['application/json', '*/*', 'text/html', 'application/xml;q=1', '', 'nonsense']) {
        const answer = await caller.get('/api/v1/blogs/full', { Accept: accept });
        expect(answer.status, accept).to.equal(200);
        expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
        expect(answer.headers['content-length']).to.equal(String(answer.body.length));
        expect(answer.json().data.contentHtml).to.equal(CONTENT);
      }
    });
  });
}
