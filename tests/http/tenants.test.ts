import { expect } from 'chai';
import { aBlog, aCategory, aKey, aTag } from '../../src/contracts/support/rows.js';
import { BLOG_TEXTS, recordOf } from '../../src/domain/model/blog-fields.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import type { ReceivedAnswer } from '../support/http/send-request.js';
import { holds, STAGES } from '../support/http/stages.js';

/** Part of every text of one organization that no other organization may read. */
const CANARY = 'CANARY';

/** Names that both organizations use: a caller can request them without knowing the other organization. */
const SHARED = { websiteId: 'web-of-both', slug: 'slug-of-both', name: 'Name of both' };

/**
 * Content of one organization. With `secret`, every text that could reveal it contains the canary.
 * With `sharesWebsite`, one of its websites has the id of a website of the other organization.
 */
function tenantContent(organizationId: string, secret: string, sharesWebsite: boolean) {
  const own = (what: string) => `${what}-${organizationId}${secret}`;
  const websites = [sharesWebsite ? SHARED.websiteId : own(SHARED.websiteId), own('web')];
  const terms = [
    { id: own('term-1'), name: `${SHARED.name}${secret}`, slug: SHARED.slug },
    { id: own('term-2'), name: own('Name'), slug: own('slug') },
  ];
  const placed = terms.flatMap((term) =>
    websites.map((websiteId) => ({ ...term, id: `${term.id}-${websiteId}`, organizationId, websiteId })),
  );
  const termsOf = (kind: string, websiteId: string) =>
    terms.map(({ id, name, slug }) => ({ id: `${kind}-${id}-${websiteId}`, name, slug }));
  return {
    websites,
    blogs: placed.map((place) =>
      aBlog({
        ...place,
        id: `blog-${place.id}`,
        title: `Title of both ${secret}`,
        ...recordOf(BLOG_TEXTS, own),
        contentHtml: `<p>${own('content')}</p>`.repeat(60),
        categories: termsOf('category', place.websiteId),
        tags: termsOf('tag', place.websiteId),
      }),
    ),
    categories: placed.map((place) =>
      aCategory({ ...place, id: `category-${place.id}`, description: own('text') }),
    ),
    tags: placed.map((place) => aTag({ ...place, id: `tag-${place.id}` })),
  };
}

/** Every request that this content suggests: all endpoints and filters, with all its ids, slugs and websites. */
function requestsAbout({ websites, blogs, categories }: ReturnType<typeof tenantContent>): string[] {
  const slugs = [...new Set(categories.map(({ slug }) => slug))];
  const queries = ['', ...websites.map((websiteId) => `website_id=${websiteId}`)];
  for (const slug of slugs) {
    queries.push(`category=${slug}`, `tag=${slug}`, `category=${slug}&tag=${slug}&search=title+of+both`);
    for (const websiteId of websites) queries.push(`category=${slug}&tag=${slug}&website_id=${websiteId}`);
  }
  queries.push(
    `search=${CANARY}`,
    'search=title',
    'search=%25',
    'limit=100',
    'limit=1&page=2',
    'limit=1&page=5',
  );
  return [
    ...queries.map((query) => `/api/v1/blogs?${query}`),
    ...blogs.map(({ id }) => `/api/v1/blogs/${id}`),
    ...blogs.map(({ slug, websiteId }) => `/api/v1/blogs/slug/${slug}?website_id=${websiteId}`),
    ...['categories', 'tags'].flatMap((kind) => [
      `/api/v1/${kind}`,
      ...websites.map((websiteId) => `/api/v1/${kind}?website_id=${websiteId}`),
    ]),
  ];
}

/** The content of an answer, without headers that count, time or name the request, or depend on the cache. */
function contentOf({ status, headers, decompressed }: ReceivedAnswer) {
  return { status, etag: headers.etag, text: decompressed };
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
      // No answer to A is still cached: it is computed again beside B's content.
      api.clock.advance(3_600_000);
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

    // Other storage gives the organizations of one transaction different generations.
    if (stage === 'memory')
      it("spec 5: A never gets B's cached answers, even if both have the same generation", async () => {
        const raises = ['tenant_a', 'tenant_b'].map((organizationId) =>
          aKey({ id: `raises-${organizationId}`, organizationId }),
        );
        await api.put('apiKeys', ...raises);
        for (const path of REQUESTS) {
          const answers = [await b.get(path), await a.get(path)] as const;
          expect(contentOf(answers[1]), path).to.deep.equal(withoutB.get(path));
          const generations = answers.flatMap(({ headers }) => headers['x-content-generation'] ?? []);
          expect(new Set(generations).size, path).to.be.at.most(1);
        }
      });

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

    it('spec 5: a key that moves to another organization reads only the content of that organization', async () => {
      const mover = await Caller.of(api, 'tenant_b');
      expect((await mover.get('/api/v1/tags')).text).to.include(CANARY);
      await api.putKey(mover.key, 'tenant_a');
      expect((await mover.get('/api/v1/tags')).text).to.equal((await a.get('/api/v1/tags')).text);
    });
  });
}
