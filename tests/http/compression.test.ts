import { expect } from 'chai';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { ANY_STAGE } from '../support/http/stages.js';

const LARGE = '/api/v1/blogs/large';
const SMALL = '/api/v1/blogs/small';

describe('Compression', () => {
  let api: ApiUnderTest;
  let caller: Caller;
  const accepting = (encodings: string | string[], path = LARGE) =>
    caller.get(path, { 'Accept-Encoding': encodings });

  before(async () => {
    api = await ApiUnderTest.start(ANY_STAGE);
    caller = await Caller.of(api, 'org_a');
    const contentHtml = '<p>Ünïcode 🚢 and more</p>'.repeat(200);
    await api.put('blogs', aBlog({ id: 'small' }), aBlog({ id: 'large', contentHtml }));
  });
  after(() => api.stop());

  for (const [encodings, chosen] of [
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip;q=0.5, br;q=0.1', 'gzip'],
    ['gzip;q=0.1, br;q=0.5', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['deflate, gzip', 'gzip'],
    ['zstd, br', 'br'],
    ['identity;q=0, gzip', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['identity', undefined],
    ['identity, br;q=0.5', undefined],
    ['br;q=0, gzip;q=0', undefined],
    ['deflate', undefined],
    ['', undefined],
  ] as const) {
    it(`contract 17: a client that accepts "${encodings}" gets a large body in this encoding: ${chosen ?? 'none'}`, async () => {
      const whole = await caller.get(LARGE);
      for (const cache of ['whatever', 'HIT']) {
        const answer = await accepting(encodings);
        expect(answer.status).to.equal(200);
        expect(answer.headers['content-encoding']).to.equal(chosen);
        expect(answer.headers['content-length']).to.equal(String(answer.body.length));
        expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
        expect(answer.headers.etag).to.equal(whole.headers.etag);
        if (cache === 'HIT') expect(answer.headers['x-cache']).to.equal('HIT');
        if (chosen !== undefined) expect(answer.body.length).to.be.below(whole.body.length / 2);
        expect(answer.decompressed).to.equal(whole.text);
      }
    });
  }

  for (const encodings of [
    'identity;q=0',
    '*;q=0',
    'identity;q=0, *;q=0',
    'deflate, identity;q=0',
    'nonsense;;q==,',
    ';',
    'br;q=2',
  ]) {
    it(`contract 17: a client that accepts only "${encodings}" gets an answer, never a 406`, async () => {
      for (const path of [LARGE, SMALL]) {
        const answer = await accepting(encodings, path);
        expect(answer.status).to.equal(200);
        expect(answer.decompressed).to.equal((await caller.get(path)).text);
      }
      expect((await accepting(encodings, '/nope')).status).to.equal(404);
    });
  }

  it('contract 17: a small body is never compressed', async () => {
    for (const encodings of ['br', 'gzip', 'br, gzip, identity;q=0', '*']) {
      const answer = await accepting(encodings, SMALL);
      expect(answer.headers, encodings).not.to.have.property('content-encoding');
      expect(answer.text).to.equal((await caller.get(SMALL)).text);
    }
  });

  it('contract 17: bodies of more than 1 KiB are compressed', async () => {
    const path = '/api/v1/blogs/border';
    await api.put('blogs', aBlog({ id: 'border', contentHtml: '' }));
    const empty = (await caller.get(path)).body.length;
    for (const [size, encoding] of [
      [1024, undefined],
      [1025, 'gzip'],
    ] as const) {
      await api.put('blogs', aBlog({ id: 'border', contentHtml: 'x'.repeat(size - empty) }));
      expect((await caller.get(path)).body.length).to.equal(size);
      expect((await accepting('gzip', path)).headers['content-encoding']).to.equal(encoding);
    }
  });

  it('contract 17: a long error is compressed like any other body', async () => {
    const wrong = ['page', 'limit', 'search'].map((name) => `${name}=${'%F0%9F%9A%A2'.repeat(201)}`);
    const path = `/api/v1/blogs?${wrong.join('&')}`;
    const whole = await caller.get(path);
    expect([whole.status, whole.body.length > 1024]).to.deep.equal([400, true]);
    for (const encoding of ['br', 'gzip']) {
      const answer = await accepting(encoding, path);
      expect(answer.headers['content-encoding']).to.equal(encoding);
      expect(answer.decompressed).to.equal(whole.text);
    }
    expect((await accepting('identity;q=0', path)).decompressed).to.equal(whole.text);
  });
});
