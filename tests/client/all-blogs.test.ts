import { expect } from 'chai';
import type { Blog, BlogClient } from '../../src/client/blog-client.js';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { clientOf } from '../support/http/client-under-test.js';
import { FlakyServer } from '../support/network/flaky-server.js';

const onDay = (day: number) =>
  aBlog({ id: `b${day}`, publishedAt: Date.UTC(2026, 0, day), websiteId: `w${day % 2}` });

describe('allBlogs of the client', () => {
  let api: ApiUnderTest;
  let server: FlakyServer;
  let client: BlogClient;

  beforeEach(async () => {
    api = await ApiUnderTest.start('memory');
    server = await FlakyServer.before(api.address);
    ({ client } = await clientOf(api, { url: server.address }));
    await api.put('blogs', ...[1, 2, 3, 4, 5].map(onDay));
  });
  afterEach(async () => {
    await server.stop();
    await api.stop();
  });

  async function idsOf(blogs: AsyncIterable<Blog>, onEach: (id: string) => unknown = () => {}) {
    const ids: string[] = [];
    for await (const { id } of blogs) {
      ids.push(id);
      await onEach(id);
    }
    return ids;
  }

  it('yields the blogs of every page, newest first', async () => {
    expect(await idsOf(client.allBlogs({ limit: 2 }))).to.deep.equal(['b5', 'b4', 'b3', 'b2', 'b1']);
    expect(server.requests).to.have.length(3);
  });

  it('sends as few requests as possible', async () => {
    expect(await idsOf(client.allBlogs())).to.have.length(5);
    expect(server.requests.map(({ url }) => url)).to.deep.equal(['/api/v1/blogs?limit=100&page=1']);
  });

  it('yields only the blogs that match the filters', async () => {
    expect(await idsOf(client.allBlogs({ website_id: 'w1', limit: 1 }))).to.deep.equal(['b5', 'b3', 'b1']);
    expect(await idsOf(client.allBlogs({ tag: 'unknown' }))).to.deep.equal([]);
  });

  it('requests a page only when the caller reaches it', async () => {
    for await (const { id } of client.allBlogs({ limit: 2 })) if (id === 'b4') break;
    expect(server.requests).to.have.length(1);
  });

  it('yields every blog exactly once if blogs are published during the iteration', async () => {
    const publish = async (id: string) => {
      if (id === 'b4') await api.put('blogs', onDay(6), onDay(7));
    };
    expect(await idsOf(client.allBlogs({ limit: 2 }), publish)).to.deep.equal(['b5', 'b4', 'b3', 'b2', 'b1']);
  });

  it('ends if the last page disappears during the iteration', async () => {
    const takeBack = async (id: string) => {
      if (id === 'b4') await api.remove('blogs', 'b1', 'b2', 'b3');
    };
    expect(await idsOf(client.allBlogs({ limit: 2 }), takeBack)).to.deep.equal(['b5', 'b4']);
  });
});
