import { expect } from 'chai';
import sinon from 'sinon';
import type { BlogDetail } from '../../src/client/blog-client.js';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { clientOf } from '../support/http/client-under-test.js';
import { answers, FlakyServer } from '../support/network/flaky-server.js';
import { problemOf } from './problem-of.js';

describe('The client, when it repeats a request,', () => {
  let api: ApiUnderTest;
  let server: FlakyServer;
  const newClient = async (options = {}) => (await clientOf(api, { url: server.address, ...options })).client;
  const tagsSent = () => server.requests.map(({ headers }) => headers['if-none-match'] ?? null);

  before(async () => {
    api = await ApiUnderTest.start('memory');
    server = await FlakyServer.before(api.address);
  });
  beforeEach(async () => {
    server.expectTroubles();
    await api.put('blogs', aBlog({ id: 'b1' }), aBlog({ id: 'b2' }));
  });
  afterEach(() => sinon.restore());
  after(async () => {
    await server.stop();
    await api.stop();
  });

  it('sends the ETag that it received, and returns the cached answer on a 304', async () => {
    const client = await newClient();
    const first = await client.getBlogById('b1');
    server.expectTroubles(answers(304));
    expect(await client.getBlogById('b1')).to.deep.equal(first);
    expect(tagsSent()).to.deep.equal([await tagOf('b1')]);
  });

  it('receives a 304 while nothing has changed, and the new content after a change', async () => {
    const responses = sinon.spy(globalThis, 'fetch').returnValues;
    const client = await newClient();
    await client.getBlogById('b1');
    await client.getBlogById('b1');
    await api.put('blogs', aBlog({ id: 'b1', title: 'Changed' }));
    expect((await client.getBlogById('b1'))?.title).to.equal('Changed');
    expect((await client.getBlogById('b1'))?.title).to.equal('Changed');
    const statuses = (await Promise.all(responses)).map(({ status }) => status);
    expect(statuses).to.deep.equal([200, 304, 200, 304]);
  });

  it('caches by address: it requests another query or another blog without an ETag', async () => {
    const client = await newClient();
    await client.listBlogs({ limit: 1 });
    await client.listBlogs({ limit: 2 });
    await client.getBlogById('b1');
    await client.getBlogById('b2');
    expect(tagsSent()).to.deep.equal([null, null, null, null]);
  });

  it('gives each caller a separate copy', async () => {
    const client = await newClient();
    const mine = (await client.getBlogById('b1')) as {
      -readonly [Field in keyof BlogDetail]: BlogDetail[Field];
    };
    mine.title = 'Scribbled over';
    expect((await client.getBlogById('b1'))?.title).to.equal('Title of b1');
  });

  it('returns null for a cached blog that was deleted', async () => {
    const client = await newClient();
    await client.getBlogById('b2');
    await api.remove('blogs', 'b2');
    expect(await client.getBlogById('b2')).to.equal(null);
  });

  it('sends no request while an answer is fresh, and treats it as fresh again after a 304', async () => {
    const client = await newClient({ freshForMs: 10_000 });
    const requestsAfter = async (afterMs: number) => {
      clock.tick(afterMs);
      await client.getBlogById('b1');
      return server.requests.length;
    };
    const clock = sinon.useFakeTimers({ toFake: ['performance'] });
    expect(await requestsAfter(0)).to.equal(1);
    expect(await requestsAfter(9_999)).to.equal(1);
    expect(await requestsAfter(1)).to.equal(2);
    expect(await requestsAfter(9_999)).to.equal(2);
    expect(await requestsAfter(1)).to.equal(3);
  });

  it('remembers a thousand answers, and forgets those that were not requested for longest', async () => {
    const client = await newClient();
    const empty = async () => Response.json({ data: [] }, { headers: { ETag: '"x"' } });
    const fetch = sinon.stub(globalThis, 'fetch').callsFake(empty);
    for (let site = 0; site <= 1_000; site++) await client.listTags({ website_id: String(site) });
    for (const site of ['1', '0', '2', '1']) await client.listTags({ website_id: site });
    const tags = fetch.args
      .slice(1_001)
      .map(([, request]) => new Headers(request?.headers).get('If-None-Match'));
    expect(tags).to.deep.equal(['"x"', null, null, '"x"']);
  });

  it('reports a 304 to a request without an ETag as an unexpected answer', async () => {
    const client = await newClient();
    server.expectTroubles(answers(304));
    expect(await problemOf(client.listTags())).to.include({ kind: 'unexpected-answer', status: 304 });
  });

  it('does not cache an answer that does not come from the API', async () => {
    const client = await newClient();
    server.expectTroubles(answers(200, { ETag: '"x"' }, '<h1>Sign in to the network</h1>'));
    expect(await problemOf(client.listTags())).to.include({ kind: 'unexpected-answer', status: 200 });
    expect(await client.listTags()).to.deep.equal([]);
    expect(tagsSent()).to.deep.equal([null, null]);
  });

  async function tagOf(id: string) {
    const { key } = await clientOf(api);
    return (await api.get(`/api/v1/blogs/${id}`, { 'X-API-Key': key })).headers.get('ETag');
  }
});
