import { expect } from 'chai';
import sinon from 'sinon';
import { MemoryBlogReader } from '../../src/adapters/memory/memory-blog-reader.js';
import { MemoryGenerations } from '../../src/adapters/memory/memory-generations.js';
import type { StaleAnswer } from '../../src/client/blog-client.js';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { clientOf } from '../support/http/client-under-test.js';

describe('The client, when an answer may be outdated,', () => {
  let api: ApiUnderTest;
  let told: StaleAnswer[];

  const client = async (options = {}) => {
    const onStale = (answer: StaleAnswer) => void told.push(answer);
    return (await clientOf(api, { onStale, ...options })).client;
  };
  const goAway = () => {
    const cause = new Error('away');
    sinon.stub(MemoryBlogReader.prototype, 'findById').rejects(cause);
    sinon.stub(MemoryGenerations.prototype, 'above').rejects(cause);
    api.clock.advance(900_000);
  };

  before(async () => {
    api = await ApiUnderTest.start('memory', { staleIfErrorMs: 3_600_000 });
  });
  beforeEach(async () => {
    told = [];
    await api.put('blogs', aBlog({ id: 'b1', title: 'First' }));
  });
  afterEach(() => {
    sinon.restore();
    api.clock.advance(1_000);
  });
  after(() => api.stop());

  it('reports the answer with its generation and age', async () => {
    const asking = await client();
    await asking.getBlogById('b1');
    expect(told).to.eql([]);
    goAway();
    // The API returns a 304, because the client has cached the answer.
    expect((await asking.getBlogById('b1'))?.title).to.equal('First');
    expect(told).to.eql([{ path: '/api/v1/blogs/b1', generation: asking.generation, ageSeconds: 900 }]);
  });

  it('repeats the request, even if freshForMs allows the cached answer', async () => {
    const asking = await client({ freshForMs: 60_000 });
    const other = await client();
    await other.getBlogById('b1');
    goAway();
    await asking.getBlogById('b1');
    await asking.getBlogById('b1');
    expect(told).to.have.length(2);
  });

  it('works without a callback', async () => {
    const asking = (await clientOf(api)).client;
    await asking.getBlogById('b1');
    goAway();
    expect((await asking.getBlogById('b1'))?.title).to.equal('First');
  });
});
