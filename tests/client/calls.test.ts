import { expect } from 'chai';
import sinon from 'sinon';
import { BlogClient } from '../../src/client/blog-client.js';
import { aBlog, aCategory, aTag } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { clientOf } from '../support/http/client-under-test.js';
import { problemOf } from './problem-of.js';

const metalwork = { id: 'c1', name: 'Metalwork', slug: 'metalwork' };
const failure = { id: 't1', name: 'Failure', slug: 'failure' };
const BLOGS = [1, 2, 3, 4, 5].map((day) =>
  aBlog({
    id: `b${day}`,
    publishedAt: Date.UTC(2026, 0, day),
    websiteId: day === 1 ? 'web_a2' : 'web_a1',
    ...(day === 2 ? { title: 'Über & außen = 100 %', categories: [metalwork], tags: [failure] } : {}),
  }),
);
const NAMES = ['ä/ö?ü=1&x#y', '..x', 'a b+c', '%2e', '日本', '\u{1f600}'];

describe('The client', () => {
  let api: ApiUnderTest;
  let client: BlogClient;

  before(async () => {
    api = await ApiUnderTest.start('memory');
    client = (await clientOf(api)).client;
    await api.put('blogs', ...BLOGS);
    await api.put('categories', aCategory({ ...metalwork }));
    await api.put('tags', aTag({ ...failure }));
  });
  afterEach(() => sinon.restore());
  after(() => api.stop());

  it('lists a page of blogs', async () => {
    const { data, pagination } = await client.listBlogs({ page: 2, limit: 2 });
    expect(data.map(({ id }) => id)).to.deep.equal(['b3', 'b2']);
    expect(pagination).to.deep.equal({ page: 2, limit: 2, total: 5, pages: 3 });
  });

  for (const [query, ids] of [
    [{ category: 'metalwork' }, ['b2']],
    [{ tag: 'failure', website_id: 'web_a1' }, ['b2']],
    [{ search: 'ÜBER & AUSSEN = 100 %' }, ['b2']],
    [{ website_id: 'web_a2' }, ['b1']],
    [{ category: null, tag: undefined, search: '' }, ['b5', 'b4', 'b3', 'b2', 'b1']],
  ] as const) {
    it(`lists the blogs that match ${JSON.stringify(query)}`, async () => {
      expect((await client.listBlogs(query)).data.map(({ id }) => id)).to.deep.equal(ids);
    });
  }

  it('gets a blog by its id, and by its slug within a website', async () => {
    const blog = await client.getBlogById('b2');
    expect(blog).to.include({ slug: 'slug-of-b2', contentHtml: '<p>Content of b2</p>' });
    expect(blog?.categories).to.deep.equal([metalwork]);
    expect(await client.getBlogBySlug('slug-of-b2', { website_id: 'web_a1' })).to.deep.equal(blog);
  });

  it('returns null for a blog that does not exist', async () => {
    expect(await client.getBlogById('unknown')).to.equal(null);
    expect(await client.getBlogBySlug('slug-of-b2', { website_id: 'web_a2' })).to.equal(null);
  });

  it('gets blogs whose ids and slugs contain any characters', async () => {
    for (const name of NAMES) {
      await api.put(
        'blogs',
        aBlog({ id: name, slug: name, organizationId: 'org_names', websiteId: 'web_a1' }),
      );
    }
    const { client } = await clientOf(api, { organizationId: 'org_names' });
    for (const name of NAMES) {
      expect(await client.getBlogById(name), name).to.include({ id: name });
      expect(await client.getBlogBySlug(name, { website_id: 'web_a1' }), name).to.include({ slug: name });
    }
  });

  it('returns null for a name that no URL can contain', async () => {
    for (const name of ['', '.', '..', '\ud800', 'a\udc00b', '\0']) {
      expect(await client.getBlogById(name), JSON.stringify(name)).to.equal(null);
      expect(await client.getBlogBySlug(name, { website_id: 'web_a1' }), JSON.stringify(name)).to.equal(null);
    }
  });

  it('lists the categories and the tags', async () => {
    expect((await client.listCategories({ website_id: 'web_a1' })).map(({ slug }) => slug)).to.deep.equal([
      'metalwork',
    ]);
    expect((await client.listTags()).map(({ color }) => color)).to.deep.equal(['#336699']);
    expect(await client.listTags({ website_id: 'web_a2' })).to.deep.equal([]);
  });

  it('rejects an address or a key that cannot work, and does not show the key', () => {
    const create = (url: string, apiKey: string) => () => new BlogClient({ url, apiKey });
    for (const url of ['', 'content.example.com', 'ftp://content.example.com', 'http://']) {
      expect(create(url, 'k'), url).to.throw(TypeError, `not "${url}"`);
    }
    for (const apiKey of ['', 'secret\n', 'se cret', 'sécret']) {
      expect(create(api.address, apiKey)).to.throw(
        TypeError,
        /^apiKey must be visible ASCII characters, without spaces or line breaks$/,
      );
    }
  });

  it('reaches an API under a path of its host, with or without a trailing slash', async () => {
    const fetch = sinon.stub(globalThis, 'fetch').callsFake(async () => Response.json({ data: [] }));
    for (const url of [
      'https://example.com/content/',
      'https://example.com/content',
      'https://example.com',
    ]) {
      await new BlogClient({ url, apiKey: 'k' }).listTags();
    }
    expect(fetch.args.map(([address]) => address)).to.deep.equal([
      'https://example.com/content/api/v1/tags',
      'https://example.com/content/api/v1/tags',
      'https://example.com/api/v1/tags',
    ]);
  });

  it('reports why the API refused a request', async () => {
    const error = await problemOf(client.listBlogs({ limit: 0 }));
    expect(error).to.include({ name: 'BlogApiError', kind: 'bad-request', status: 400, retryAfter: null });
    expect(error.message).to.match(/^Invalid parameters: limit must be a whole number from 1 to 100/);
    expect(error.requestId).to.match(/^[\w-]+$/);
    expect(error.resetAt?.getTime()).to.be.greaterThan(api.clock.now());
  });

  it('reports that a key is not valid', async () => {
    const unknownCaller = new BlogClient({ url: api.address, apiKey: 'a-key-of-nobody-at-all' });
    expect(await problemOf(unknownCaller.listTags())).to.include({ kind: 'unauthorized', status: 401 });
    expect(await problemOf(unknownCaller.getBlogById('b1'))).to.include({
      kind: 'unauthorized',
      status: 401,
    });
  });

  it('reports an unexpected answer, not a missing blog, if the address is not that of the API', async () => {
    const { client } = await clientOf(api, { url: `${api.address}/api/v1` });
    expect(await problemOf(client.getBlogById('b1'))).to.include({ kind: 'unexpected-answer', status: 404 });
  });
});
