import { expect } from 'chai';
import sinon from 'sinon';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ADAPTERS } from '../support/http/adapters.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import type { ReceivedAnswer } from '../support/http/send-request.js';
import { ANY_STAGE } from '../support/http/stages.js';
import { EVERY_PATH } from './every-path.js';

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;

describe('Response headers', () => {
  let api: ApiUnderTest;
  let caller: Caller;

  /** One answer for each status that the application returns. */
  const answersOfEveryStatus = async (headers = {}): Promise<Record<string, ReceivedAnswer>> => {
    const exhausted = await Caller.of(api);
    for (let sent = 0; sent < 100; sent++) await exhausted.get('/nope');
    const list = sinon.stub(ADAPTERS[ANY_STAGE].blogReader, 'list').rejects(new Error('broken'));
    const broken = await (await Caller.of(api)).get('/api/v1/blogs', headers);
    list.restore();
    return {
      200: await caller.get('/api/v1/blogs/b1', headers),
      304: await caller.get('/api/v1/blogs/b1', { ...headers, 'If-None-Match': '*' }),
      400: await caller.get('/api/v1/blogs?limit=0', headers),
      401: await caller.get('/api/v1/blogs', { ...headers, 'X-API-Key': 'unknown-key-of-nobody' }),
      404: await caller.get('/api/v1/blogs/unknown', headers),
      405: await caller.send('POST', '/api/v1/blogs', headers),
      429: await exhausted.get('/api/v1/blogs', headers),
      500: broken,
    };
  };

  before(async () => {
    api = await ApiUnderTest.start(ANY_STAGE, { window: { limit: 100, lengthMs: 60_000 } });
    await api.put('blogs', aBlog({ id: 'b1' }));
  });
  beforeEach(async () => {
    caller = await Caller.of(api, 'org_a');
  });
  afterEach(() => sinon.restore());
  after(() => api.stop());

  for (const path of EVERY_PATH) {
    it(`contract 16: ${path} may be stored only by a private cache, which revalidates it each time`, async () => {
      for (const headers of [{}, { 'If-None-Match': '*' }]) {
        const answer = await caller.get(path, headers);
        expect(answer.headers['cache-control']).to.equal('private, no-cache');
        expect(answer.headers.vary).to.equal('X-API-Key, Accept-Encoding');
      }
    });

    it(`spec 4: HEAD ${path} has the headers of GET, and no body`, async () => {
      for (const headers of [{}, { 'Accept-Encoding': 'br' }, { 'If-None-Match': '*' }]) {
        await caller.get(path);
        const [get, head] = [await caller.get(path, headers), await caller.send('HEAD', path, headers)];
        expect(head.status).to.equal(get.status);
        expect(head.body).to.have.length(0);
        for (const varying of ['date', 'x-request-id', 'x-ratelimit-remaining', 'ratelimit']) {
          expect(head.headers[varying]).to.be.a('string').and.not.equal('');
          delete get.headers[varying];
          delete head.headers[varying];
        }
        expect(head.headers).to.deep.equal(get.headers);
      }
    });
  }

  it('contract 16: an error may not be stored', async () => {
    const { 200: _ok, 304: _notModified, ...errors } = await answersOfEveryStatus();
    for (const [status, answer] of Object.entries(errors)) {
      expect(answer.status).to.equal(Number(status));
      expect(answer.headers['cache-control'], status).to.equal('no-store');
      expect(answer.headers, status).not.to.have.any.keys('etag', 'x-cache');
    }
  });

  it('spec 7: every error has the envelope, with the status of the answer', async () => {
    const { 200: _ok, 304: _notModified, ...errors } = await answersOfEveryStatus();
    for (const [status, answer] of Object.entries(errors)) {
      const { error, ...rest } = answer.json();
      expect(rest).to.deep.equal({});
      expect(Object.keys(error)).to.have.members(['message', 'status']);
      expect(error.status).to.equal(Number(status));
      expect(error.message).to.be.a('string').and.not.equal('');
      expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
    }
    expect(errors[400]?.json().error.message).to.include('limit');
    expect(errors[401]?.json().error.message).to.include('X-API-Key');
    expect(errors[429]?.json().error.message).to.match(/rate limit/i);
  });

  it('spec 7: HEAD returns the status and the headers of an error, without a body', async () => {
    for (const path of ['/api/v1/blogs?limit=0', '/api/v1/blogs/unknown', '/nope']) {
      const [get, head] = [await caller.get(path), await caller.send('HEAD', path)];
      expect(head.status).to.equal(get.status);
      expect(head.headers['content-length']).to.equal(String(get.body.length));
      expect(head.body).to.have.length(0);
    }
  });

  it('contract 18: every response carries the X-Request-Id of the caller', async () => {
    for (const [status, answer] of Object.entries(
      await answersOfEveryStatus({ 'X-Request-Id': 'mine_1.2-3' }),
    )) {
      expect(answer.status).to.equal(Number(status));
      expect(answer.headers['x-request-id'], status).to.equal('mine_1.2-3');
    }
  });

  it('contract 18: every response carries a new X-Request-Id if the caller sends none', async () => {
    const ids = Object.values(await answersOfEveryStatus()).map(({ headers }) => headers['x-request-id']);
    for (const id of ids) expect(id).to.match(UUID);
    expect(new Set(ids)).to.have.property('size', ids.length);
  });

  it('contract 18: a valid X-Request-Id has 1 to 128 letters, digits, dots, underscores and hyphens', async () => {
    const idFor = async (id: string | string[]) =>
      (await caller.get('/nope', { 'X-Request-Id': id })).headers['x-request-id'];
    for (const id of ['a', '0', '.', '_', '-', 'Z'.repeat(128)]) expect(await idFor(id)).to.equal(id);
    const others = ['', 'a'.repeat(129), 'two words', 'a,b', 'a/b', '\xe9', 'a\tb', '{"a":1}', '<script>'];
    for (const id of [...others, ['a', 'b']]) expect(await idFor(id), String(id)).to.match(UUID);
  });
});
