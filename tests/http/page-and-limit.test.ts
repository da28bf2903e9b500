import { expect } from 'chai';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { ANY_STAGE } from '../support/http/stages.js';

const NO_PLAIN_NUMBERS = [
  '',
  '0',
  '-1',
  '1.5',
  '1.0',
  '%2B1',
  '+1',
  '01',
  '1e2',
  '0x10',
  '0b1',
  '%201',
  '1%20',
  '1%0A',
  '1%00',
  '1,000',
  '1_0',
  '1n',
  'one',
  'NaN',
  'Infinity',
  'null',
  'true',
  '[1]',
  '%D9%A3',
  '%EF%BC%91',
  '99999999999999999999',
  '9'.repeat(400),
];

describe('Page and limit', () => {
  let api: ApiUnderTest;
  let caller: Caller;
  const list = (query: string) => caller.get(`/api/v1/blogs${query}`);

  before(async () => {
    api = await ApiUnderTest.start(ANY_STAGE);
    caller = await Caller.of(api, 'org_a');
    const blogs = Array.from({ length: 101 }, (_, number) =>
      aBlog({ id: `b${String(number).padStart(3, '0')}`, publishedAt: Date.UTC(2026, 0, 1, 0, 0, number) }),
    );
    await api.put('blogs', ...blogs);
  });
  after(() => api.stop());

  for (const name of ['page', 'limit']) {
    it(`contract 2: ${name} is refused unless it is in plain digits and within its range`, async () => {
      const tooHigh = name === 'limit' ? ['101', '1000'] : ['2147483648', '9007199254740993'];
      for (const value of [...NO_PLAIN_NUMBERS, ...tooHigh].map((text) => `=${text}`).concat('')) {
        const answer = await list(`?${name}${value}`);
        expect(answer.status, value).to.equal(400);
        expect(answer.json().error.status).to.equal(400);
        expect(answer.json().error.message).to.include(name);
      }
    });
  }

  it('contract 2: a limit from 1 to 100 is accepted', async () => {
    for (const limit of [1, 99, 100]) {
      const { data, pagination } = (await list(`?limit=${limit}`)).json();
      expect(data).to.have.length(limit);
      expect(pagination).to.deep.equal({ page: 1, limit, total: 101, pages: Math.ceil(101 / limit) });
    }
  });

  it('contract 2: a page past the end returns no data and the correct totals', async () => {
    for (const page of [7, 2147483647]) {
      const answer = await list(`?page=${page}`);
      expect(answer.status).to.equal(200);
      expect(answer.json()).to.deep.equal({
        data: [],
        pagination: { page, limit: 20, total: 101, pages: 6 },
      });
    }
  });

  it('spec 4.1: the default page is 1 and the default limit is 20', async () => {
    const plain = (await list('')).json();
    expect(plain.pagination).to.deep.equal({ page: 1, limit: 20, total: 101, pages: 6 });
    expect(plain).to.deep.equal((await list('?page=1&limit=20')).json());
    expect(plain.data[0].id).to.equal('b100');
    expect(plain.data.at(-1).id).to.equal('b081');
  });

  it('spec 4.1: pages are numbered from 1 and follow each other', async () => {
    const second = (await list('?page=2&limit=50')).json();
    expect(second.data.map(({ id }: { id: string }) => id)).to.deep.equal(
      Array.from({ length: 50 }, (_, at) => `b${String(50 - at).padStart(3, '0')}`),
    );
    const last = (await list('?page=3&limit=50')).json();
    expect(last.data).to.have.length(1);
    expect(last.data[0].id).to.equal('b000');
  });

  it('spec 2.5: an organization without blogs has no pages', async () => {
    const otherCaller = await Caller.of(api);
    expect((await otherCaller.get('/api/v1/blogs')).json()).to.deep.equal({
      data: [],
      pagination: { page: 1, limit: 20, total: 0, pages: 0 },
    });
  });
});
