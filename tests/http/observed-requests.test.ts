import { expect } from 'chai';
import sinon from 'sinon';
import { PinoLog } from '../../src/adapters/system/pino-log.js';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ADAPTERS } from '../support/http/adapters.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { sendRequest } from '../support/http/send-request.js';
import { sendRaw } from '../support/network/send-raw.js';
import { sampleOf } from '../support/programs/scrape.js';

const BY_SLUG = '/api/v1/blogs/slug/:slug';

describe('The log and the metrics of requests', () => {
  let api: ApiUnderTest;
  let caller: Caller;
  let info: sinon.SinonSpy;

  beforeEach(async () => {
    api = await ApiUnderTest.start('memory', { window: { limit: 3, lengthMs: 60_000 } });
    caller = await Caller.of(api, 'org_a');
    await api.put('blogs', aBlog({ id: 'b1' }));
    info = sinon.spy(PinoLog.prototype, 'info');
  });
  afterEach(async () => {
    sinon.restore();
    await api.stop();
  });

  const lines = () => info.args.filter(([message]) => message === 'request').map(([, details]) => details);
  const sample = async (name: string) => sampleOf(await api.metrics.text(), name);
  const requests = (route: string, status: number) =>
    sample(`blog_read_api_requests_total{route="${route}",status="${status}"}`);

  it('contain one line for each request, with its caller and its result', async () => {
    await caller.get('/api/v1/blogs?limit=1', { 'X-Request-Id': 'the-request' });
    const [line, ...others] = lines();
    expect(others).to.deep.equal([]);
    expect(line.milliseconds).to.be.at.least(0);
    expect({ ...line, milliseconds: 0 }).to.deep.equal({
      requestId: 'the-request',
      keyId: `id-of-${caller.key}`,
      organizationId: 'org_a',
      method: 'GET',
      route: '/api/v1/blogs',
      status: 200,
      cache: 'computed',
      milliseconds: 0,
    });
  });

  it('contain what is refused before it is read', async () => {
    await sendRaw(api.address, 'garbage\r\n\r\n');
    expect(lines()).to.deep.equal([{ route: 'none', status: 400 }]);
    expect(await requests('none', 400)).to.equal(1);
  });

  it('name the source of the answer', async () => {
    await caller.get('/api/v1/tags');
    await caller.get('/api/v1/tags');
    expect(lines().map(({ cache }) => cache)).to.deep.equal(['computed', 'process']);
    expect(await sample('blog_read_api_answers_total{source="computed"}')).to.equal(1);
    expect(await sample('blog_read_api_answers_total{source="process"}')).to.equal(1);
  });

  it('contain the verdict of the rate limit, and the route of refused requests, too', async () => {
    for (let n = 0; n < 5; n++) await caller.get('/api/v1/tags');
    await sendRequest(api.address, '/api/v1/categories', { 'X-API-Key': 'nobody-has-such-a-key' });
    expect(await requests('/api/v1/tags', 200)).to.equal(3);
    expect(await requests('/api/v1/tags', 429)).to.equal(2);
    expect(await requests('/api/v1/categories', 401)).to.equal(1);
    expect(await sample('blog_read_api_admissions_total{verdict="admitted"}')).to.equal(3);
    expect(await sample('blog_read_api_admissions_total{verdict="refused"}')).to.equal(2);
    expect(await sample('blog_read_api_admissions_total{verdict="unauthenticated"}')).to.equal(1);
  });

  it('name a key that was refused with a 401, and the reason; the answer contains neither', async () => {
    await api.putKey('a-key-that-is-revoked', 'org_a', { revokedAt: api.clock.now() });
    await api.putKey('a-key-that-is-expired', 'org_b', { expiresAt: api.clock.now() });
    const keys = [
      'a-key-that-is-revoked',
      'a-key-that-is-expired',
      'nobody-has-such-a-key',
      'too short',
      null,
    ];
    const answers = await Promise.all(
      keys.map((key) => sendRequest(api.address, '/api/v1/tags', key === null ? {} : { 'X-API-Key': key })),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).to.equal(1);
    const logged = lines().map(({ status, reason, keyId, organizationId }) => ({
      status,
      reason,
      keyId,
      organizationId,
    }));
    const unknownCaller = { keyId: undefined, organizationId: undefined };
    expect(logged).to.have.deep.members([
      { status: 401, reason: 'revoked', keyId: 'id-of-a-key-that-is-revoked', organizationId: 'org_a' },
      { status: 401, reason: 'expired', keyId: 'id-of-a-key-that-is-expired', organizationId: 'org_b' },
      { status: 401, reason: 'unknown', ...unknownCaller },
      { status: 401, reason: 'malformed', ...unknownCaller },
      { status: 401, reason: 'missing', ...unknownCaller },
    ]);
  });

  it('contain no verdict if the key cannot be looked up', async () => {
    sinon.stub(ADAPTERS.memory.apiKeyDirectory, 'find').rejects(new Error('gone'));
    sinon.stub(PinoLog.prototype, 'error');
    await sendRequest(api.address, '/api/v1/tags', { 'X-API-Key': 'a-key-that-is-not-known' });
    expect(await requests('/api/v1/tags', 500)).to.equal(1);
    expect(await api.metrics.text()).not.to.contain('verdict=');
  });

  it('contract 19: contain nothing that the caller wrote: no key, slug, search or path', async () => {
    const others = (['debug', 'warn', 'error'] as const).map((level) => sinon.stub(PinoLog.prototype, level));
    sinon.stub(ADAPTERS.memory.tagReader, 'list').rejects(new Error('gone'));
    await caller.get('/api/v1/tags?website_id=secretwebsite');
    caller = await Caller.of(api, 'org_a');
    const website = 'website_id=web_a1';
    await caller.get(`/api/v1/blogs/slug/slug-of-b1?${website}`);
    await caller.get('/api/v1/blogs?search=secretsearch');
    await caller.get('/api/v1/secretpath');
    await sendRequest(api.address, '/api/v1/blogs/secretid', { 'X-API-Key': 'a-key-that-is-not-known' });
    expect(await requests(BY_SLUG, 200)).to.equal(1);
    expect(await requests('none', 404)).to.equal(1);
    expect(await requests('/api/v1/blogs/:id', 401)).to.equal(1);
    const written = JSON.stringify([info, ...others].map(({ args }) => args));
    expect(written).to.contain('request failed');
    const seen = `${await api.metrics.text()} ${written}`.replaceAll(/id-of-[\w-]+/g, '');
    expect(seen).not.to.contain(caller.key);
    expect(seen).not.to.match(/secret|slug-of-b1|web_a1|not-known/);
  });
});
