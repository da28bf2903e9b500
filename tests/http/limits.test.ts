import { expect } from 'chai';
import sinon from 'sinon';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ADAPTERS } from '../support/http/adapters.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { type ReceivedAnswer, sendRequest } from '../support/http/send-request.js';
import { ANY_STAGE } from '../support/http/stages.js';

const WINDOW = { limit: 3, lengthMs: 60_000 };
const rateOf = ({ status, headers }: ReceivedAnswer) => ({
  status,
  remaining: headers['x-ratelimit-remaining'],
  reset: headers['x-ratelimit-reset'],
  retryAfter: headers['retry-after'],
});

describe('Limits', () => {
  let api: ApiUnderTest;
  let caller: Caller;
  const use = async (path = '/api/v1/tags', headers = {}) => rateOf(await caller.get(path, headers));
  const statusOfUse = async () => (await use()).status;

  before(async () => {
    api = await ApiUnderTest.start(ANY_STAGE, { window: WINDOW });
    await api.put('blogs', aBlog({ id: 'b1' }));
  });
  beforeEach(async () => {
    caller = await Caller.of(api, 'org_a');
  });
  afterEach(() => sinon.restore());
  after(() => api.stop());

  it('spec 8: each request lowers the remaining count, and the request beyond the limit is a 429', async () => {
    const start = api.clock.now();
    const reset = String(start + 60_000);
    const admitted = { status: 200, reset, retryAfter: undefined };
    for (const remaining of ['2', '1', '0']) expect(await use()).to.deep.equal({ ...admitted, remaining });
    const refused = { status: 429, remaining: '0', reset };
    expect(await use()).to.deep.equal({ ...refused, retryAfter: '60' });
    api.clock.advance(10_000);
    expect(await use()).to.deep.equal({ ...refused, retryAfter: '50' });
  });

  it('contract 25: X-RateLimit-Limit is the limit, and the headers of the IETF draft agree, in seconds', async () => {
    const rate = ({ headers }: ReceivedAnswer) => {
      expect(headers['x-ratelimit-limit']).to.equal('3');
      return [headers['ratelimit-policy'], headers.ratelimit];
    };
    const policy = '"per-key";q=3;w=60';
    expect(rate(await caller.get('/api/v1/tags'))).to.eql([policy, '"per-key";r=2;t=60']);
    api.clock.advance(10_500);
    expect(rate(await caller.get('/api/v1/tags'))).to.eql([policy, '"per-key";r=1;t=50']);
    await caller.get('/api/v1/tags');
    expect(rate(await caller.get('/api/v1/tags'))).to.eql([policy, '"per-key";r=0;t=50']);
    const unknown = await caller.get('/api/v1/tags', { 'X-API-Key': 'unknown-key-of-nobody' });
    expect(rate(unknown)).to.eql([policy, '"per-key";r=0;t=60']);
  });

  const counted: Record<string, () => Promise<ReceivedAnswer>> = {
    200: () => caller.get('/api/v1/blogs/b1'),
    '200 on HEAD': () => caller.send('HEAD', '/api/v1/blogs/b1'),
    304: () => caller.get('/api/v1/blogs/b1', { 'If-None-Match': '*' }),
    '400 for a parameter': () => caller.get('/api/v1/blogs?limit=0'),
    '400 for an address': () => caller.get('/%FF'),
    '404 for a path': () => caller.get('/nope'),
    '404 for a blog': () => caller.get('/api/v1/blogs/unknown'),
    405: () => caller.send('DELETE', '/api/v1/blogs'),
    500: async () => {
      sinon.stub(ADAPTERS[ANY_STAGE].categoryReader, 'list').rejects(new Error('broken'));
      return await caller.get('/api/v1/categories?website_id=broken');
    },
  };
  for (const [what, send] of Object.entries(counted)) {
    it(`contract 22: a ${what} counts`, async () => {
      await use();
      const answer = await send();
      expect(answer.status).to.equal(Number.parseInt(what, 10));
      expect(rateOf(answer)).to.include({ remaining: '1', reset: String(api.clock.now() + 60_000) });
      expect(await use()).to.include({ remaining: '0' });
      expect(await statusOfUse()).to.equal(429);
    });
  }

  it('contract 23: a caller without a valid key has no window and leaves no state', async () => {
    const expected = {
      status: 401,
      remaining: '0',
      reset: String(api.clock.now() + 60_000),
      retryAfter: undefined,
    };
    await api.putKey('key-that-is-revoked-now', 'org_a', { revokedAt: 1 });
    for (let tried = 0; tried < 10; tried++) {
      for (const key of ['', 'unknown-key-of-nobody', 'key-that-is-revoked-now']) {
        const answer = await sendRequest(api.address, '/api/v1/tags', { 'X-API-Key': key });
        expect(rateOf(answer)).to.deep.equal(expected);
      }
    }
    // Once the key is valid, it has the whole window.
    await api.putKey('key-that-is-revoked-now', 'org_a');
    const answer = await sendRequest(api.address, '/api/v1/tags', {
      'X-API-Key': 'key-that-is-revoked-now',
    });
    expect(rateOf(answer)).to.include({ status: 200, remaining: '2' });
  });

  it('contract 24: Retry-After is in whole seconds, rounded up, and a request after this time is admitted', async () => {
    for (const [elapsed, retryAfter] of [
      [999, 60],
      [1_000, 59],
      [59_999, 1],
    ] as const) {
      caller = await Caller.of(api, 'org_a');
      for (let used = 0; used < 3; used++) await use();
      api.clock.advance(elapsed);
      expect(await use()).to.include({ status: 429, retryAfter: String(retryAfter) });
      api.clock.advance(retryAfter * 1000);
      expect(await statusOfUse()).to.equal(200);
    }
  });
});
