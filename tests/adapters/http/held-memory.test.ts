import { brotliDecompressSync } from 'node:zlib';
import { expect } from 'chai';
import { type Endpoint, LIST_BLOGS } from '../../../src/adapters/http/endpoints/endpoints.js';
import { callOf, callsByAddress } from '../../../src/adapters/http/request/endpoint-router.js';
import { requestParser } from '../../../src/adapters/http/request/request-parser.js';
import { renderAnswer } from '../../../src/adapters/http/response/answer-response.js';
import { CompressedForms } from '../../../src/adapters/http/response/compress.js';
import { LargeBodies } from '../../../src/adapters/http/response/large-bodies.js';
import { bytesHeldBy } from '../../support/programs/held-memory.js';

const MEGABYTE = 1024 * 1024;
const largeBodies = new LargeBodies();

/** Parses and caches addresses as the router does. */
function addressBook() {
  const addresses = callsByAddress();
  const parse = requestParser<Endpoint>({ ...LIST_BLOGS, readContent: async () => ({}) });
  return {
    addresses,
    read: (queryString: string) => {
      const call = callOf(parse('', queryString, {}), largeBodies);
      addresses.set(`/?${queryString}`, call);
      return call;
    },
  };
}

describe('The HTTP adapter', () => {
  it('holds only a few megabytes of addresses, however many and long they are', async () => {
    const { addresses, read } = addressBook();
    let n = 0;
    const held = await bytesHeldBy(() => {
      for (const length of [300, 1_500, 7_000]) {
        for (let end = n + 2_000; n < end; n++) read(`category=%E6%BC%A2%20${n}${'x'.repeat(length)}`);
      }
      return addresses;
    });
    expect(held).to.be.below(4 * MEGABYTE);
  });

  it('caches an address of usual length, and parses a long one every time', () => {
    const { addresses, read } = addressBook();
    const usual = read('category=metalwork&page=2');
    expect(addresses.get('/?category=metalwork&page=2')).to.equal(usual);
    const long = `category=${'x'.repeat(7_000)}`;
    read(long);
    expect(addresses.get(`/?${long}`)).to.equal(undefined);
  });

  it('holds no more compressed bodies than their bound, including the buffers behind them', async () => {
    const forms = new CompressedForms(MEGABYTE, largeBodies);
    const held = await bytesHeldBy(async () => {
      for (let n = 0; n < 3_000; n++) {
        const { body, etag } = await renderAnswer({ n, text: 'the same again '.repeat(100) }, largeBodies);
        await forms.of(body, etag, n % 2 === 0 ? 'br' : 'gzip');
      }
      return forms;
    });
    expect(held).to.be.below(2 * MEGABYTE);
  });

  it('holds a compressed body while there is room, and computes it once for all callers', async () => {
    const forms = new CompressedForms(MEGABYTE, largeBodies);
    const { body, etag } = await renderAnswer({ text: 'the same again '.repeat(100) }, largeBodies);
    const [one, other] = await Promise.all([forms.of(body, etag, 'br'), forms.of(body, etag, 'br')]);
    expect(one).to.equal(other);
    expect(await forms.of(new Uint8Array(body), etag, 'br')).to.equal(one);
    expect(brotliDecompressSync(one)).to.deep.equal(Buffer.from(body));
    expect(one.buffer.byteLength, 'nothing lies behind it').to.equal(one.byteLength);
  });

  it('holds no compressed body of an answer without an ETag', async () => {
    const forms = new CompressedForms(MEGABYTE, largeBodies);
    const { body } = await renderAnswer({ text: 'the same again '.repeat(100) }, largeBodies);
    expect(await forms.of(body, null, 'gzip')).not.to.equal(await forms.of(body, null, 'gzip'));
  });

  it('holds only the bytes of a rendered answer, and no pool behind them', async () => {
    for (const length of [0, 10, 3_000, 100_000]) {
      const { body } = await renderAnswer({ text: 'é'.repeat(length) }, largeBodies);
      expect(body.buffer.byteLength).to.equal(body.byteLength);
    }
  });
});
