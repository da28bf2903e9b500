import { expect } from 'chai';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { clientOf } from '../support/http/client-under-test.js';

describe('The client with generations', () => {
  let api: ApiUnderTest;
  const edit = (title: string) => api.put('blogs', aBlog({ id: 'b1', title }));
  const newClient = async (options = {}) => (await clientOf(api, options)).client;

  before(async () => {
    api = await ApiUnderTest.start('memory');
  });
  beforeEach(() => edit('First'));
  after(() => api.stop());

  it('keeps the greatest generation that it has received, also from a 304', async () => {
    const client = await newClient();
    expect(client.generation).to.equal(0);
    await client.getBlogById('b1');
    const first = client.generation;
    expect(first).to.be.above(0);
    await api.put('blogs', aBlog({ id: 'b2' }));
    await client.getBlogById('b1');
    expect(client.generation).to.be.above(first);
  });

  it('waits for the generation that the caller requires', async () => {
    const client = await newClient();
    await client.getBlogById('b1');
    const waiting = client.getBlogById('b1', { minGeneration: client.generation + 1 });
    await edit('Second');
    expect((await waiting)?.title).to.equal('Second');
  });

  it('returns no cached answer of an older generation, however fresh it is', async () => {
    const client = await newClient({ freshForMs: 60_000 });
    await client.getBlogById('b1');
    await edit('Second');
    expect((await client.getBlogById('b1'))?.title).to.equal('First');
    expect((await client.getBlogById('b1', { minGeneration: client.generation + 1 }))?.title).to.equal(
      'Second',
    );
  });
});
