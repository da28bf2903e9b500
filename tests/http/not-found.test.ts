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

const BY_ID = {
  'that is unknown': '/api/v1/blogs/unknown',
  'of an unpublished blog': '/api/v1/blogs/draft',
  'of another organization': '/api/v1/blogs/foreign',
  'that is a slug': '/api/v1/blogs/slug-of-b1',
};
const BY_SLUG = {
  'that is unknown': '/api/v1/blogs/slug/unknown?website_id=web_a1',
  'of an unpublished blog': '/api/v1/blogs/slug/slug-of-draft?website_id=web_a1',
  'of another organization': '/api/v1/blogs/slug/slug-of-foreign?website_id=web_b1',
  'of another organization, in a shared website': '/api/v1/blogs/slug/slug-of-shared?website_id=web_a1',
  'of another website': '/api/v1/blogs/slug/slug-of-b1?website_id=web_a2',
  'in an unknown website': '/api/v1/blogs/slug/slug-of-b1?website_id=unknown',
};

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

    for (const [what, path] of [...Object.entries(BY_ID), ...Object.entries(BY_SLUG)]) {
      it(`contract 7: ${path.includes('/slug/') ? 'a slug' : 'an id'} ${what} is a 404`, async () => {
        const answer = await caller.get(path);
        expect(answer.status).to.equal(404);
        expect(answer.text).to.equal(BODY);
      });
    }

    it('contract 7: all of these answers are identical, byte for byte, on both endpoints', async () => {
      const paths = [...Object.values(BY_ID), ...Object.values(BY_SLUG)];
      const answers = await Promise.all(paths.map((path) => caller.get(path)));
      const [first, ...others] = answers.map(comparable);
      for (const other of others) expect(other).to.deep.equal(first);
    });

    it('contract 7: they are identical for repeated, compressed and conditional requests', async () => {
      const headers = { 'Accept-Encoding': 'br, gzip', 'If-None-Match': '*' };
      for (const path of [...Object.values(BY_ID), ...Object.values(BY_SLUG)]) {
        const plain = await caller.get(path);
        expect(comparable(await caller.get(path, headers)), path).to.deep.equal(comparable(plain));
      }
    });

    it('contract 7: their answers to HEAD are identical, too', async () => {
      const answers = await Promise.all(
        [...Object.values(BY_ID), ...Object.values(BY_SLUG)].map((path) => caller.send('HEAD', path)),
      );
      const [first, ...others] = answers.map(comparable);
      expect(first).to.include({ status: 404, text: '' });
      for (const other of others) expect(other).to.deep.equal(first);
    });

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
