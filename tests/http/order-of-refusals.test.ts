import { expect } from 'chai';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { sendRequest } from '../support/http/send-request.js';
import { ANY_STAGE } from '../support/http/stages.js';

const LIMIT = 50;
/** Each request has several errors. The answer may report only the first one. */
const UNKNOWN_PATHS = ['/nope?limit=0', '/nope?x=%', '/', '/api/v1/blogs/a/b', '/metrics'];
const WRONG_METHODS = ['/api/v1/blogs?x=%', '/api/v1/blogs/%FF', '/api/v1/blogs/slug/unknown'];
const BAD_PARAMETERS = [
  '/api/v1/blogs?limit=0',
  '/api/v1/blogs/unknown?x=%FF',
  '/api/v1/blogs/slug/unknown',
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
    api = await ApiUnderTest.start(ANY_STAGE, { window: { limit: LIMIT, lengthMs: 60_000 } });
    caller = await Caller.of(api);
    exhausted = await Caller.of(api);
    for (let sent = 0; sent < LIMIT; sent++) await exhausted.get('/api/v1/tags');
  });
  after(() => api.stop());

  for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
    it(`contract 9: without a valid key, every ${method} is 401; over the limit with one, 429`, async () => {
      for (const path of ALL) {
        for (const headers of [{}, { 'X-API-Key': 'unknown-key-of-nobody' }]) {
          const { status } = await sendRequest(api.address, path, headers, method);
          expect(status, path).to.equal(401);
        }
        expect((await exhausted.send(method, path)).status, path).to.equal(429);
      }
    });
  }

  it('contract 9: 401 comes before 429', async () => {
    await api.putKey(exhausted.key, exhausted.organizationId, { revokedAt: api.clock.now() });
    expect((await exhausted.get('/api/v1/tags')).status).to.equal(401);
    await api.putKey(exhausted.key, exhausted.organizationId);
    expect((await exhausted.get('/api/v1/tags')).status).to.equal(429);
  });

  for (const [status, method, paths] of [
    [404, 'GET', UNKNOWN_PATHS],
    [404, 'POST', UNKNOWN_PATHS],
    [405, 'POST', WRONG_METHODS],
    [400, 'GET', BAD_PARAMETERS],
    [404, 'GET', MISSING_BLOGS],
  ] as const) {
    it(`contract 9: ${method} ${paths[0]} and the like are ${status}, whatever else is wrong`, async () => {
      for (const path of paths) expect((await caller.send(method, path)).status, path).to.equal(status);
    });
  }
});
