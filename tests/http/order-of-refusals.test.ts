import { expect } from 'chai';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { sendRequest } from '../support/http/send-request.js';
import { ANY_STAGE } from '../support/http/stages.js';

/** Each request has several errors. The answer may report only the first one. */
const UNKNOWN_PATHS = ['/nope', '/nope?limit=0', '/nope?x=%', '/', '/api/v1/blogs/a/b', '/metrics'];
const WRONG_METHODS = [
  '/api/v1/blogs?limit=0',
  '/api/v1/blogs/%FF',
  '/api/v1/blogs?x=%',
  '/api/v1/blogs/unknown',
  '/api/v1/blogs/slug/unknown',
];
const BAD_PARAMETERS = [
  '/api/v1/blogs?limit=0',
  '/api/v1/blogs/unknown?x=%FF',
  '/api/v1/blogs/slug/unknown',
  '/api/v1/blogs/slug/unknown?website_id=',
  '/api/v1/blogs/slug/%00?website_id=',
];
const MISSING_BLOGS = ['/api/v1/blogs/unknown', '/api/v1/blogs/slug/unknown?website_id=web_a1'];
const ALL = [
  ...UNKNOWN_PATHS,
  ...WRONG_METHODS,
  ...BAD_PARAMETERS,
  ...MISSING_BLOGS,
  '/%FF',
  '/api/v1/blogs',
];

describe('The order of refusals', () => {
  let api: ApiUnderTest;
  let caller: Caller;
  let exhausted: Caller;

  before(async () => {
    api = await ApiUnderTest.start(ANY_STAGE, { window: { limit: 50, lengthMs: 60_000 } });
    caller = await Caller.of(api);
    exhausted = await Caller.of(api);
    for (let sent = 0; sent < 50; sent++) await exhausted.get('/api/v1/tags');
  });
  after(() => api.stop());

  for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']) {
    it(`contract 9: without a valid key, every ${method} is 401`, async () => {
      for (const path of ALL) {
        for (const headers of [{}, { 'X-API-Key': 'unknown-key-of-nobody' }]) {
          const answer = await sendRequest(api.address, path, headers, method);
          expect(answer.status, path).to.equal(401);
        }
      }
    });

    it(`contract 9: over the limit, every ${method} with a valid key is 429`, async () => {
      for (const path of ALL) expect((await exhausted.send(method, path)).status, path).to.equal(429);
    });
  }

  it('contract 9: 401 comes before 429', async () => {
    await api.putKey(exhausted.key, exhausted.organizationId, { revokedAt: api.clock.now() });
    expect((await exhausted.get('/api/v1/tags')).status).to.equal(401);
    await api.putKey(exhausted.key, exhausted.organizationId);
    expect((await exhausted.get('/api/v1/tags')).status).to.equal(429);
  });

  it('contract 9: 404 for the path comes before 405 and 400', async () => {
    for (const path of UNKNOWN_PATHS) {
      expect((await caller.get(path)).status, path).to.equal(404);
      expect((await caller.send('POST', path)).status, path).to.equal(404);
    }
  });

  it('contract 9: 405 comes before 400 and before 404 for the blog', async () => {
    for (const path of WRONG_METHODS) expect((await caller.send('POST', path)).status, path).to.equal(405);
  });

  it('contract 9: 400 comes before 404 for the blog', async () => {
    for (const path of BAD_PARAMETERS) expect((await caller.get(path)).status, path).to.equal(400);
    for (const path of MISSING_BLOGS) expect((await caller.get(path)).status, path).to.equal(404);
  });
});
