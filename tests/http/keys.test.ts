import { expect } from 'chai';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { type ReceivedAnswer, sendRequest } from '../support/http/send-request.js';
import { ANY_STAGE } from '../support/http/stages.js';
import { EVERY_PATH } from './every-path.js';

const KEY = 'a-valid-key-of-the-organization';
const TIMES_OR_NAMES = ['date', 'x-request-id', 'x-ratelimit-reset'];

const comparable = ({ status, headers, text }: ReceivedAnswer) => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !TIMES_OR_NAMES.includes(name))),
  text,
});

describe('Keys', () => {
  let api: ApiUnderTest;
  const ask = (headers: Record<string, string | string[]>, path = '/api/v1/blogs') =>
    sendRequest(api.address, path, headers);
  const statusFor = async (key: string | string[]) => (await ask({ 'X-API-Key': key })).status;

  before(async () => {
    api = await ApiUnderTest.start(ANY_STAGE);
    await api.putKey(KEY, 'org_a');
    await api.put('blogs', aBlog({ id: 'b1' }));
  });
  after(() => api.stop());

  it('contract 10: the name of the header is case-insensitive, the key is case-sensitive', async () => {
    for (const name of ['X-API-Key', 'x-api-key', 'X-Api-KEY']) {
      expect((await ask({ [name]: KEY })).status).to.equal(200);
    }
    expect(await statusFor(KEY.toUpperCase())).to.equal(401);
    expect(await statusFor(`  ${KEY}\t `)).to.equal(200);
  });

  it('contract 10: a key in the query string, in Authorization or in another header is ignored', async () => {
    for (const name of ['X-API-Key', 'x-api-key', 'api_key', 'apiKey', 'key']) {
      expect((await ask({}, `/api/v1/blogs?${name}=${KEY}`)).status, name).to.equal(401);
    }
    for (const authorization of [KEY, `Bearer ${KEY}`, `ApiKey ${KEY}`]) {
      expect((await ask({ Authorization: authorization })).status, authorization).to.equal(401);
    }
    expect((await ask({ Cookie: `X-API-Key=${KEY}`, 'API-Key': KEY })).status).to.equal(401);
  });

  it('contract 10: a repeated header is a malformed key', async () => {
    for (const twice of [
      [KEY, KEY],
      [KEY, 'another-key-of-nobody'],
      [KEY, ''],
      ['', KEY],
    ]) {
      expect(await statusFor(twice), String(twice)).to.equal(401);
    }
  });

  it('contract 20: missing, malformed, unknown, expired and revoked keys get the same 401, byte for byte', async () => {
    const now = api.clock.now();
    await api.putKey('expired-key-of-org-a', 'org_a', { expiresAt: now - 1 });
    await api.putKey('revoked-key-of-org-a', 'org_a', { revokedAt: now - 1 });
    await api.putKey('revoked-and-expired-key', 'org_a', { expiresAt: now - 1, revokedAt: now - 1 });
    const keys = [
      '',
      'short',
      'unknown-key-of-nobody',
      'expired-key-of-org-a',
      'revoked-key-of-org-a',
      'revoked-and-expired-key',
    ];
    const answers = await Promise.all([ask({}), ...keys.map((key) => ask({ 'X-API-Key': key }))]);
    const [first, ...others] = answers.map(comparable);
    expect(first?.status).to.equal(401);
    expect(Object.keys(JSON.parse(first?.text ?? '').error)).to.have.members(['message', 'status']);
    expect(JSON.parse(first?.text ?? '').error.status).to.equal(401);
    expect(JSON.parse(first?.text ?? '').error.message).to.include('X-API-Key');
    for (const other of others) expect(other).to.deep.equal(first);
    expect(new Set(answers.map(({ headers }) => headers['x-ratelimit-reset'])).size).to.equal(1);
  });

  it('contract 21, spec 5: an expired or revoked key never gets a cached body, from that moment on', async () => {
    const expiresAt = api.clock.now() + 1000;
    await api.putKey('key-that-expires-soon', 'org_a', { expiresAt });
    await api.putKey('key-that-is-revoked', 'org_a');
    for (const path of EVERY_PATH) {
      await ask({ 'X-API-Key': KEY }, path);
      for (const key of ['key-that-expires-soon', 'key-that-is-revoked']) {
        expect((await ask({ 'X-API-Key': key }, path)).headers['x-cache']).to.equal('HIT');
      }
    }
    api.clock.advance(1000);
    await api.putKey('key-that-is-revoked', 'org_a', { revokedAt: api.clock.now() });
    for (const path of EVERY_PATH) await ask({ 'X-API-Key': KEY }, path);
    for (const path of EVERY_PATH) {
      expect((await ask({ 'X-API-Key': KEY }, path)).headers['x-cache'], path).to.equal('HIT');
      for (const key of ['key-that-expires-soon', 'key-that-is-revoked', 'unknown-key-of-nobody']) {
        const { status, headers, text } = await ask({ 'X-API-Key': key, 'If-None-Match': '*' }, path);
        expect(status, path).to.equal(401);
        expect(headers).not.to.have.any.keys('x-cache', 'etag');
        expect(text).not.to.include('data');
      }
    }
  });
});
