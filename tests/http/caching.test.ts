import { expect } from 'chai';
import sinon from 'sinon';
import { aBlog, aCategory, aTag } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { STAGES } from '../support/http/stages.js';

const MINUTE = 60_000;
const LIFETIMES = [
  { path: '/api/v1/blogs', minutes: 5 },
  { path: '/api/v1/blogs/b1', minutes: 15 },
  { path: '/api/v1/blogs/slug/slug-of-b1?website_id=:own', minutes: 15 },
  { path: '/api/v1/categories', minutes: 5 },
  { path: '/api/v1/tags', minutes: 5 },
];

for (const stage of STAGES) {
  describe(`Caching on ${stage}`, () => {
    let api: ApiUnderTest;
    let caller: Caller;
    const send = (method: string, path: string, headers = {}) =>
      caller.send(method, path.replace(':own', caller.websiteId), headers);
    const get = (path: string, headers = {}) => send('GET', path, headers);
    const cacheOf = async (path: string, headers = {}) => (await get(path, headers)).headers['x-cache'];

    before(async () => {
      api = await ApiUnderTest.start(stage);
    });
    beforeEach(async () => {
      caller = await Caller.of(api);
      const { organizationId } = caller;
      await api.put('blogs', aBlog({ id: 'b1', organizationId }));
      await api.put('categories', aCategory({ id: 'c1', organizationId }));
      await api.put('tags', aTag({ id: 't1', organizationId }));
    });
    afterEach(() => sinon.restore());
    after(() => api.stop());

    for (const { path, minutes } of LIFETIMES) {
      it(`spec 4 caching: ${path} is served from the cache for ${minutes} minutes`, async () => {
        const first = await get(path);
        expect(first.headers['x-cache']).to.equal('MISS');
        const second = await get(path);
        expect(second.headers['x-cache']).to.equal('HIT');
        expect(second.text).to.equal(first.text);
        expect(second.headers.etag).to.equal(first.headers.etag);

        api.clock.advance(minutes * MINUTE - 1);
        expect(await cacheOf(path)).to.equal('HIT');
        api.clock.advance(1);
        expect(await cacheOf(path)).to.equal('MISS');
        expect(await cacheOf(path)).to.equal('HIT');
      });

      it(`contract 14: ${path} has X-Cache on a 304 and on HEAD, too`, async () => {
        const anyTag = { 'If-None-Match': '*' };
        const first = await get(path, anyTag);
        expect([first.status, first.headers['x-cache']]).to.deep.equal([304, 'MISS']);
        const second = await get(path, anyTag);
        expect([second.status, second.headers['x-cache']]).to.deep.equal([304, 'HIT']);
        expect((await send('HEAD', path)).headers['x-cache']).to.equal('HIT');
      });
    }

    it('spec 4 caching: a change of a blog is visible at once', async () => {
      const { organizationId } = caller;
      const paths = LIFETIMES.slice(0, 3).map(({ path }) => path);
      for (const path of paths) await get(path);
      await api.put('blogs', aBlog({ id: 'b1', organizationId, title: 'Changed' }));
      for (const path of paths) {
        const answer = await get(path);
        expect(answer.headers['x-cache'], path).to.equal('MISS');
        expect(answer.text).to.include('"title":"Changed"');
      }
      await api.remove('blogs', 'b1');
      expect((await get('/api/v1/blogs')).json().data).to.deep.equal([]);
      for (const path of paths.slice(1)) expect((await get(path)).status).to.equal(404);
    });

    it('spec 4 caching: a change of a category or tag is visible at once', async () => {
      const { organizationId } = caller;
      for (const path of ['/api/v1/categories', '/api/v1/tags']) await get(path);
      await api.put('categories', aCategory({ id: 'c1', organizationId, name: 'Changed' }));
      await api.put('tags', aTag({ id: 't1', organizationId, name: 'Changed' }));
      for (const path of ['/api/v1/categories', '/api/v1/tags']) {
        const answer = await get(path);
        expect(answer.headers['x-cache'], path).to.equal('MISS');
        expect(answer.json().data[0].name).to.equal('Changed');
      }
      await api.remove('categories', 'c1');
      await api.remove('tags', 't1');
      for (const path of ['/api/v1/categories', '/api/v1/tags']) {
        expect((await get(path)).json()).to.deep.equal({ data: [] });
      }
    });

    it('spec 4 caching: requests for different content never share an answer', async () => {
      const { organizationId } = caller;
      await api.put('blogs', aBlog({ id: 'b2', organizationId, websiteId: 'x', slug: 'slug-of-b1' }));
      const filters = ['page=2', 'limit=1', 'category=x', 'tag=x', 'search=x', 'website_id=x'];
      const paths = [
        ...LIFETIMES.map(({ path }) => path),
        ...filters.map((filter) => `/api/v1/blogs?${filter}`),
        ...['blogs/slug/slug-of-b1', 'categories', 'tags'].map((path) => `/api/v1/${path}?website_id=x`),
      ];
      for (const path of paths) expect(await cacheOf(path), path).to.equal('MISS');
    });

    it('spec 4 caching: a client can make the server neither drop nor keep an answer', async () => {
      await get('/api/v1/blogs');
      for (const value of ['no-cache', 'no-store', 'max-age=0']) {
        expect(await cacheOf('/api/v1/blogs', { 'Cache-Control': value, Pragma: 'no-cache' })).to.equal(
          'HIT',
        );
      }
    });
  });
}
