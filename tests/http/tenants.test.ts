import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { aSourceBlog, aSourceCategory } from '../../src/contracts/support/source-rows.js';
import { BLOG_TEXTS } from '../../src/domain/model/blog-fields.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import type { ReceivedAnswer } from '../support/http/send-request.js';
import { holds, STAGES } from '../support/http/stages.js';
import { CANARY, requestsAbout, tenantContent } from './two-tenants.js';

const UNCOMPRESS = { br: brotliDecompressSync, gzip: gunzipSync };

/** The content of an answer, without headers that count, time or name the request, or depend on the cache. */
function contentOf({ status, headers, body }: ReceivedAnswer) {
  const encoding = headers['content-encoding'] as keyof typeof UNCOMPRESS | undefined;
  const text = encoding === undefined ? body : UNCOMPRESS[encoding](body);
  return { status, etag: headers.etag, text: text.toString() };
}

for (const stage of STAGES) {
  describe(`Two organizations on ${stage}`, () => {
    const sharesWebsite = holds(stage, 'a website of two organizations');
    const A = tenantContent('tenant_a', '', sharesWebsite);
    const B = tenantContent('tenant_b', CANARY, sharesWebsite);
    const REQUESTS = [...new Set([...requestsAbout(A), ...requestsAbout(B)])];
    let api: ApiUnderTest;
    let a: Caller;
    let b: Caller;
    /** The answers to A before B exists. */
    const withoutB = new Map<string, ReturnType<typeof contentOf>>();

    before(async () => {
      api = await ApiUnderTest.start(stage);
      a = await Caller.of(api, 'tenant_a');
      b = await Caller.of(api, 'tenant_b');
      await api.put('blogs', ...A.blogs);
      await api.put('categories', ...A.categories);
      await api.put('tags', ...A.tags);
      for (const path of REQUESTS) withoutB.set(path, contentOf(await a.get(path)));
      await api.put('blogs', ...B.blogs);
      await api.put('categories', ...B.categories);
      await api.put('tags', ...B.tags);
    });
    after(() => api.stop());

    it("spec 5: B's own answers contain its canaries, so that the tests below can detect a leak", async () => {
      const seen = await Promise.all(REQUESTS.map((path) => b.get(path)));
      const texts = seen.map(({ text }) => text).join();
      for (const field of [...BLOG_TEXTS, 'content', 'text', 'Name', 'slug', 'web']) {
        expect(texts).to.match(new RegExp(`${field}(-tenant_b)?${CANARY}`));
      }
      expect(seen.filter(({ status }) => status === 200)).to.have.length.above(20);
    });

    for (const encodings of ['identity', 'br', 'gzip']) {
      it(`spec 5: A gets the same answers as before B existed, even while B's answers are cached, as ${encodings}`, async () => {
        for (const path of REQUESTS) {
          const headers = { 'Accept-Encoding': encodings };
          for (let warmed = 0; warmed < 2; warmed++) await b.get(path, headers);
          for (let attempt = 0; attempt < 2; attempt++) {
            const answer = await a.get(path, headers);
            expect(contentOf(answer), path).to.deep.equal(withoutB.get(path));
            expect(contentOf(answer).text + JSON.stringify(answer.headers), path).not.to.include(CANARY);
          }
        }
      });
    }

    it("spec 5: A's conditional requests never confirm B's content", async () => {
      for (const path of REQUESTS) {
        const etag = (await b.get(path)).headers.etag;
        if (etag === undefined || etag === withoutB.get(path)?.etag) continue;
        const answer = await a.get(path, { 'If-None-Match': etag });
        expect(contentOf(answer), path).to.deep.equal(withoutB.get(path));
      }
    });

    it('spec 5: the totals for A count nothing of B', async () => {
      expect((await a.get('/api/v1/blogs')).json().pagination.total).to.equal(A.blogs.length);
      expect((await a.get(`/api/v1/blogs?search=${CANARY}`)).json().pagination.total).to.equal(0);
      for (const kind of ['categories', 'tags'] as const) {
        expect((await a.get(`/api/v1/${kind}`)).json().data).to.have.length(A[kind].length);
        expect((await b.get(`/api/v1/${kind}`)).json().data).to.have.length(B[kind].length);
      }
    });

    it('spec 5: the name of an organization in a request has no effect', async () => {
      for (const name of ['organization_id', 'organizationId', 'org', 'tenant']) {
        const answer = await a.get(`/api/v1/blogs?${name}=tenant_b`, { 'X-Organization-Id': 'tenant_b' });
        expect(contentOf(answer)).to.deep.equal(withoutB.get('/api/v1/blogs?'));
      }
    });

    it("contract 13: a category, tag or parent of B that is linked to A's content stays hidden", async () => {
      const secret = {
        id: `term-${CANARY}`,
        organizationId: 'tenant_b',
        name: CANARY,
        slug: `slug-${CANARY}`,
      };
      const [organizationId, categories] = ['tenant_a', [{ ...secret, sortOrder: 0 }]];
      await api.bringOver('blogs', aSourceBlog({ id: 'linked', organizationId, categories, tags: [secret] }));
      const parent = { parentId: secret.id, parentOrganizationId: 'tenant_b' };
      await api.bringOver('categories', aSourceCategory({ id: 'linked', organizationId, ...parent }));
      for (const path of ['/api/v1/blogs', '/api/v1/blogs/linked', '/api/v1/categories', '/api/v1/tags']) {
        expect((await a.get(path)).text, path).not.to.include(CANARY);
      }
      for (const filter of ['category', 'tag']) {
        const { pagination } = (await a.get(`/api/v1/blogs?${filter}=${secret.slug}`)).json();
        expect(pagination.total).to.equal(0);
      }
    });

    it('spec 5: a key that moves to another organization reads only the content of that organization', async () => {
      const mover = await Caller.of(api, 'tenant_b');
      expect((await mover.get('/api/v1/tags')).text).to.include(CANARY);
      await api.putKey(mover.key, 'tenant_a');
      expect((await mover.get('/api/v1/tags')).text).to.equal((await a.get('/api/v1/tags')).text);
    });
  });
}
