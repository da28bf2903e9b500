import { expect } from 'chai';
import sinon from 'sinon';
import { PinoLog } from '../../src/adapters/system/pino-log.js';
import { RateLimit } from '../../src/application/requests/rate-limit.js';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ADAPTERS } from '../support/http/adapters.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { sendRequest } from '../support/http/send-request.js';
import { ANY_STAGE } from '../support/http/stages.js';

const BODY = '{"error":{"message":"Internal server error","status":500}}';
const CAUSE = Object.assign(new Error('connect ECONNREFUSED secret-host:5432'), {
  code: 'ECONNREFUSED',
  status: 418,
  statusCode: 418,
  expose: true,
  headers: { 'X-Leak': 'secret-header' },
});

describe('Failures', () => {
  let api: ApiUnderTest;
  let caller: Caller;
  const { apiKeyDirectory, blogReader, categoryReader, tagReader } = ADAPTERS[ANY_STAGE];
  const broken = {
    '/api/v1/blogs': () => sinon.stub(blogReader, 'list').rejects(CAUSE),
    '/api/v1/blogs/b1': () => sinon.stub(blogReader, 'findById').rejects(CAUSE),
    '/api/v1/blogs/slug/slug-of-b1?website_id=web_a1': () =>
      sinon.stub(blogReader, 'findBySlug').rejects(CAUSE),
    '/api/v1/categories': () => sinon.stub(categoryReader, 'list').rejects(CAUSE),
    '/api/v1/tags': () => sinon.stub(tagReader, 'list').rejects(CAUSE),
  };

  before(async () => {
    api = await ApiUnderTest.start(ANY_STAGE);
  });
  beforeEach(async () => {
    caller = await Caller.of(api, 'org_a');
    await api.put('blogs', aBlog({ id: 'b1', title: `As of ${caller.key}` }));
  });
  afterEach(() => sinon.restore());
  after(() => api.stop());

  for (const [path, breakIt] of Object.entries(broken)) {
    it(`contract 19: ${path} returns a 500 without the cause, which is logged with the request id`, async () => {
      const stub = breakIt();
      const log = sinon.spy(PinoLog.prototype, 'error');
      const answer = await caller.get(path, { 'X-Request-Id': 'the-failing-request' });
      expect(answer.status).to.equal(500);
      expect(answer.text).to.equal(BODY);
      expect(JSON.stringify(answer.headers)).not.to.match(/secret|ECONN|leak/i);
      expect(answer.headers).to.include({
        'cache-control': 'no-store',
        'x-request-id': 'the-failing-request',
      });
      sinon.assert.calledOnce(log);
      expect(log.firstCall.args[1]).to.deep.include({ requestId: 'the-failing-request', error: CAUSE });

      stub.restore();
      expect((await caller.get(path)).status).to.equal(200);
    });
  }

  it('contract 19: any thrown value causes a 500', async () => {
    for (const thrown of ['a text', null, undefined, 42, { status: 404, expose: true, message: 'leak' }]) {
      const list = sinon.stub(blogReader, 'list').callsFake(() => Promise.reject(thrown));
      const answer = await caller.get('/api/v1/blogs');
      expect([answer.status, answer.text]).to.deep.equal([500, BODY]);
      list.restore();
    }
  });

  it('contract 19: an unknown key gets a 500, not a 401, while keys cannot be looked up', async () => {
    sinon.stub(apiKeyDirectory, 'find').rejects(CAUSE);
    const answer = await sendRequest(api.address, '/api/v1/blogs', {
      'X-API-Key': 'unknown-key-of-nobody',
    });
    expect([answer.status, answer.text]).to.deep.equal([500, BODY]);
    expect(answer.headers).to.include({
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(api.clock.now() + 60_000),
    });
    for (const headers of [{}, { 'X-API-Key': 'short' }]) {
      expect((await sendRequest(api.address, '/api/v1/blogs', headers)).status).to.equal(401);
    }
  });

  it('contract 19: a request log that fails causes a 500 and admits no caller', async () => {
    await caller.get('/api/v1/blogs/b1');
    sinon.stub(RateLimit.prototype, 'limit').rejects(CAUSE);
    const answer = await caller.get('/api/v1/blogs/b1');
    expect([answer.status, answer.text]).to.deep.equal([500, BODY]);
    expect(answer.headers).to.include.keys('x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id');
  });

  it('a 500 of a counted request shows the state of its window', async () => {
    const { headers } = await caller.get('/api/v1/blogs/b1');
    // The generation has changed, so the API has to check again whether the key is valid.
    await api.put('blogs', aBlog({ id: 'b1', title: 'Changed' }));
    sinon.stub(apiKeyDirectory, 'find').rejects(CAUSE);
    const answer = await caller.get('/api/v1/blogs/b1');
    expect([answer.status, answer.text]).to.deep.equal([500, BODY]);
    expect(Number(answer.headers['x-ratelimit-remaining'])).to.equal(
      Number(headers['x-ratelimit-remaining']) - 1,
    );
    expect(answer.headers['x-ratelimit-reset']).to.equal(headers['x-ratelimit-reset']);
  });
});
