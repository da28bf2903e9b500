import { expect } from 'chai';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { ANY_STAGE } from '../support/http/stages.js';
import { EVERY_PATH } from './every-path.js';

describe('Conditional requests', () => {
  let api: ApiUnderTest;
  let caller: Caller;
  const tagOf = async (path: string) => String((await caller.get(path)).headers.etag);
  const statusFor = async (path: string, ifNoneMatch: string | string[]) =>
    (await caller.get(path, { 'If-None-Match': ifNoneMatch })).status;

  before(async () => {
    api = await ApiUnderTest.start(ANY_STAGE);
    caller = await Caller.of(api, 'org_a');
    await api.put('blogs', aBlog({ id: 'b1' }), aBlog({ id: 'b2' }));
  });
  after(() => api.stop());

  for (const path of EVERY_PATH) {
    it(`contract 15: ${path} has an ETag, and a request with this ETag gets a 304 without a body`, async () => {
      const full = await caller.get(path);
      expect(full.status).to.equal(200);
      expect(full.headers.etag).to.match(/^(W\/)?"[\x21\x23-\x7e]+"$/);
      const answer = await caller.get(path, { 'If-None-Match': full.headers.etag });
      expect(answer.status).to.equal(304);
      expect(answer.body).to.have.length(0);
      expect(answer.headers).to.include({ etag: full.headers.etag, 'x-cache': 'HIT' });
      expect(answer.headers).not.to.have.any.keys('content-type', 'content-encoding');
      expect((await caller.send('HEAD', path, { 'If-None-Match': full.headers.etag })).status).to.equal(304);
    });
  }

  it('contract 15: `*`, lists, and weak and strong forms of the ETag get a 304', async () => {
    const tag = await tagOf('/api/v1/blogs');
    const opaque = tag.replace('W/', '');
    for (const ifNoneMatch of [
      '*',
      opaque,
      `W/${opaque}`,
      `"other", ${tag}`,
      `${tag}, "other"`,
      `"a",W/"b",${opaque},"c"`,
      `"with, comma", ${tag}`,
      ['"other"', tag],
    ]) {
      expect(await statusFor('/api/v1/blogs', ifNoneMatch), String(ifNoneMatch)).to.equal(304);
    }
  });

  it('contract 15: other ETags get a 200', async () => {
    const tag = await tagOf('/api/v1/blogs');
    const opaque = tag.replace('W/', '');
    const bare = opaque.replaceAll('"', '');
    for (const ifNoneMatch of [
      '"other"',
      '',
      '""',
      bare,
      `"${bare.slice(1)}"`,
      `"${bare}x"`,
      `"x${bare}"`,
      opaque.toLowerCase() === opaque ? opaque.toUpperCase() : opaque.toLowerCase(),
      '"*"',
      await tagOf('/api/v1/blogs/b1'),
    ]) {
      expect(await statusFor('/api/v1/blogs', ifNoneMatch), ifNoneMatch).to.equal(200);
    }
  });

  it("contract 15: Node's fetch, which sends Cache-Control: no-cache with If-None-Match, gets a 304", async () => {
    const tag = await tagOf('/api/v1/blogs/b1');
    const headers = { 'X-API-Key': caller.key, 'If-None-Match': tag };
    const answer = await api.get('/api/v1/blogs/b1', headers);
    expect(answer.status).to.equal(304);
    expect(await answer.text()).to.equal('');
    for (const cacheControl of ['no-cache', 'no-store', 'max-age=0']) {
      const said = { 'If-None-Match': tag, 'Cache-Control': cacheControl };
      expect((await caller.get('/api/v1/blogs/b1', said)).status, cacheControl).to.equal(304);
    }
  });

  it('contract 15: a change of the content changes the ETag; reverting the change restores it', async () => {
    const [path, tag] = ['/api/v1/blogs/b2', await tagOf('/api/v1/blogs/b2')];
    await api.put('blogs', aBlog({ id: 'b2', title: 'Changed' }));
    const changed = await caller.get(path, { 'If-None-Match': tag });
    expect(changed.status).to.equal(200);
    expect(changed.headers.etag).not.to.equal(tag);
    await api.put('blogs', aBlog({ id: 'b2' }));
    expect(await statusFor(path, tag)).to.equal(304);
  });

  it('contract 15: the ETag outlives the cached answer, while the content is the same', async () => {
    const tag = await tagOf('/api/v1/tags');
    api.clock.advance(3_600_000);
    const answer = await caller.get('/api/v1/tags', { 'If-None-Match': tag });
    expect([answer.status, answer.headers['x-cache']]).to.deep.equal([304, 'MISS']);
  });

  it('contract 15: an error stays an error, whatever If-None-Match contains', async () => {
    expect(await statusFor('/api/v1/blogs/unknown', '*')).to.equal(404);
    expect(await statusFor('/api/v1/blogs?limit=0', '*')).to.equal(400);
    expect(await statusFor('/nope', '*')).to.equal(404);
    expect((await caller.send('POST', '/api/v1/blogs', { 'If-None-Match': '*' })).status).to.equal(405);
  });

  it('contract 15: If-Modified-Since has no effect', async () => {
    const headers = { 'If-Modified-Since': new Date(8.64e15 / 2).toUTCString() };
    expect((await caller.get('/api/v1/blogs', headers)).status).to.equal(200);
  });
});
