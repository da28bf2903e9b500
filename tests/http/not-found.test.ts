import { expect } from 'chai';
import { aBlog } from '../../src/contracts/support/rows.js';
import { aSourceBlog } from '../../src/contracts/support/source-rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import type { ReceivedAnswer } from '../support/http/send-request.js';
import { holds, STAGES } from '../support/http/stages.js';

const BODY = '{"error":{"message":"Blog not found","status":404}}';
const COUNTS_TIMES_OR_NAMES = /^(date|x-ratelimit-.*|ratelimit.*|x-request-id)$/;

const comparable = ({ status, headers, text }: ReceivedAnswer) => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !COUNTS_TIMES_OR_NAMES.test(name))),
  text,
});

/** Unknown, unpublished, of another organization, of another website, and an id for a slug. */
const PATHS = [
  '/api/v1/blogs/unknown',
  '/api/v1/blogs/draft',
  '/api/v1/blogs/foreign',
  '/api/v1/blogs/slug-of-b1',
  '/api/v1/blogs/slug/unknown?website_id=web_a1',
  '/api/v1/blogs/slug/slug-of-draft?website_id=web_a1',
  '/api/v1/blogs/slug/slug-of-foreign?website_id=web_b1',
  '/api/v1/blogs/slug/slug-of-shared?website_id=web_a1',
  '/api/v1/blogs/slug/slug-of-b1?website_id=web_a2',
  '/api/v1/blogs/slug/slug-of-b1?website_id=unknown',
] as const;

for (const stage of STAGES) {
  describe(`Missing blogs on ${stage}`, () => {
    let api: ApiUnderTest;
    let caller: Caller;

    before(async () => {
      api = await ApiUnderTest.start(stage);
      caller = await Caller.of(api, 'org_a');
      await api.put(
        'blogs',
        aBlog({ id: 'b1' }),
        aBlog({ id: 'draft' }),
        aBlog({ id: 'foreign', organizationId: 'org_b', websiteId: 'web_b1' }),
      );
      if (holds(stage, 'a website of two organizations'))
        await api.put('blogs', aBlog({ id: 'shared', organizationId: 'org_b', websiteId: 'web_a1' }));
      await api.bringOver('blogs', aSourceBlog({ id: 'draft', status: 'draft' }));
    });
    after(() => api.stop());

    for (const [how, method, headers] of [
      ['plain requests', 'GET', {}],
      ['compressed and conditional requests', 'GET', { 'Accept-Encoding': 'br, gzip', 'If-None-Match': '*' }],
      ['HEAD', 'HEAD', {}],
    ] as const) {
      it(`contract 7: all missing blogs are the same 404, byte for byte, on both endpoints, for ${how}`, async () => {
        const expected = comparable(await caller.send(method, PATHS[0], headers));
        expect(expected).to.include({ status: 404, text: method === 'HEAD' ? '' : BODY });
        for (const path of [...PATHS, ...PATHS]) {
          expect(comparable(await caller.send(method, path, headers)), path).to.deep.equal(expected);
        }
      });
    }

    it('contract 7: a blog disappears at once when it is unpublished or moves to another organization', async () => {
      await api.put('blogs', aBlog({ id: 'fickle' }));
      expect((await caller.get('/api/v1/blogs/fickle')).status).to.equal(200);
      await api.bringOver('blogs', aSourceBlog({ id: 'fickle', status: 'archived' }));
      expect((await caller.get('/api/v1/blogs/fickle')).text).to.equal(BODY);
      await api.put('blogs', aBlog({ id: 'fickle' }));
      expect((await caller.get('/api/v1/blogs/fickle')).status).to.equal(200);
      await api.put('blogs', aBlog({ id: 'fickle', organizationId: 'org_b' }));
      expect((await caller.get('/api/v1/blogs/fickle')).text).to.equal(BODY);
    });
  });
}
