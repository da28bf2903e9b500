import { expect } from 'chai';
import sinon from 'sinon';
import type { StaleAnswer } from '../../src/client/blog-client.js';
import { MemoryBlogReader } from '../../src/contracts/fakes/memory-blog-reader.js';
import { MemoryGenerations } from '../../src/contracts/fakes/memory-generations.js';
import { eventually } from '../../src/contracts/support/eventually.js';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { clientOf } from '../support/http/client-under-test.js';

describe('The client, when an answer may be outdated,', () => {
  let api: ApiUnderTest;
  let reported: StaleAnswer[];

  const newClient = async (options = {}) => {
    const onStale = (answer: StaleAnswer) => void reported.push(answer);
    return (await clientOf(api, { onStale, ...options })).client;
  };
  const startOutage = () => {
    const cause = new Error('unavailable');
    sinon.stub(MemoryBlogReader.prototype, 'findById').rejects(cause);
    sinon.stub(MemoryGenerations.prototype, 'above').rejects(cause);
    api.clock.advance(900_000);
  };

  before(async () => {
    api = await ApiUnderTest.start('memory', { staleIfErrorMs: 3_600_000 });
  });
  beforeEach(async () => {
    await api.put('blogs', aBlog({ id: 'b1', title: 'First' }));
    // The probe of the API ends the outage of the test before.
    await eventually(async () => {
      reported = [];
      await (await newClient()).getBlogById('b1');
      expect(reported).to.eql([]);
    });
  });
  afterEach(() => {
    sinon.restore();
    api.clock.advance(1_000);
  });
  after(() => api.stop());

  it('reports the answer with its generation and age', async () => {
    const client = await newClient();
    await client.getBlogById('b1');
    expect(reported).to.eql([]);
    startOutage();
    // The API returns a 304, because the client has cached the answer.
    expect((await client.getBlogById('b1'))?.title).to.equal('First');
    expect(reported).to.eql([{ path: '/api/v1/blogs/b1', generation: client.generation, ageSeconds: 900 }]);
  });

  it('repeats the request, even if freshForMs allows the cached answer', async () => {
    const client = await newClient({ freshForMs: 60_000 });
    const other = await newClient();
    await other.getBlogById('b1');
    startOutage();
    await client.getBlogById('b1');
    await client.getBlogById('b1');
    expect(reported).to.have.length(2);
  });

  it('works without a callback', async () => {
    const client = (await clientOf(api)).client;
    await client.getBlogById('b1');
    startOutage();
    expect((await client.getBlogById('b1'))?.title).to.equal('First');
  });
});
