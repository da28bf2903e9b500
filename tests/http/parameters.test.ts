import { expect } from 'chai';
import { aBlog, aCategory, aTag } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { ANY_STAGE } from '../support/http/stages.js';

const BLOGS = '/api/v1/blogs';
const BY_SLUG = '/api/v1/blogs/slug/slug-of-b1';
const NAMES = ['page', 'limit', 'category', 'tag', 'search', 'website_id'];
const NO_PLAIN_NUMBERS = [
  ...['', '0', '-1', '1.5', '1.0', '%2B1', '+1', '01', '1e2', '0x10', '%201', '1%20', '1%0A', '1,000', '1n'],
  ...[
    'one',
    'NaN',
    'Infinity',
    'null',
    '[1]',
    '%D9%A3',
    '%EF%BC%91',
    '99999999999999999999',
    '9'.repeat(400),
  ],
];
const TOO_HIGH = { page: ['2147483648', '9007199254740993'], limit: ['101', '1000'] };

/** Which blogs match which criteria is in the contract of the blog reader: here is what becomes of a parameter. */
describe('Parameters', () => {
  let api: ApiUnderTest;
  let caller: Caller;
  const messageFor = async (path: string): Promise<string> => {
    const answer = await caller.get(path);
    expect(answer.status, path).to.equal(400);
    return answer.json().error.message;
  };
  const idsOf = async (path: string): Promise<string> => {
    const answer = await caller.get(path);
    expect(answer.status, path).to.equal(200);
    return answer
      .json()
      .data.map(({ id }: { id: string }) => id)
      .join();
  };

  before(async () => {
    api = await ApiUnderTest.start(ANY_STAGE);
    caller = await Caller.of(api, 'org_a');
    const news = { name: 'News', slug: 'news' };
    await api.put(
      'blogs',
      aBlog({ id: 'b1', title: 'Snake a+b', categories: [{ id: 'c1', ...news }] }),
      aBlog({ id: 'b2', title: 'École a b', websiteId: 'web_a2', tags: [{ id: 't2', ...news }] }),
    );
    await api.put(
      'categories',
      aCategory({ id: 'c1', ...news }),
      aCategory({ id: 'c2', websiteId: 'web_a2', sortOrder: 1 }),
    );
    await api.put('tags', aTag({ id: 't1' }), aTag({ id: 't2', websiteId: 'web_a2', ...news }));
  });
  after(() => api.stop());

  for (const [path, all, first] of [
    [BLOGS, 'b2,b1', 'b1'],
    ['/api/v1/categories', 'c1,c2', 'c1'],
    ['/api/v1/tags', 't1,t2', 't1'],
  ] as const) {
    it(`contract 1: ${path} returns all websites of the organization, or only the requested one`, async () => {
      expect(await idsOf(path)).to.equal(all);
      expect(await idsOf(`${path}?website_id=web_a1`)).to.equal(first);
      expect(await idsOf(`${path}?website_id=unknown`)).to.equal('');
    });

    it(`contract 3, 4: ${path} refuses an empty and a repeated website_id`, async () => {
      for (const query of [
        ...['website_id=', 'website_id', '&website_id=&', 'website_id=web_a1&website_id=web_a1'],
        'website_id=web_a1&website%5Fid=web_a1',
      ]) {
        expect(await messageFor(`${path}?${query}`)).to.include('website_id');
      }
    });
  }

  for (const [query, ids] of [
    ['category=news', 'b1'],
    ['tag=news', 'b2'],
    ['category=news&tag=news', ''],
    ['category=NEWS', ''],
    ['search=SNAKE', 'b1'],
    ['search=e%CC%81COLE', 'b2'],
    ['search=ecole', ''],
    ['search=%25', ''],
    ['search=%09%C2%A0snake%0A', 'b1'],
    [`search=${'%20'.repeat(300)}snake`, 'b1'],
    ['search=a%2Bb', 'b1'],
    ['search=a+b', 'b2'],
    ['search=a%20b', 'b2'],
    ['search=', 'b2,b1'],
    ['search=%20+%E3%80%80', 'b2,b1'],
    ['limit=1', 'b2'],
    ['limit=1&page=2', 'b1'],
  ] as const) {
    it(`spec 4.1, contract 4: ?${query.slice(0, 60)} lists ${ids || 'nothing'}`, async () => {
      expect(await idsOf(`${BLOGS}?${query}`)).to.equal(ids);
    });
  }

  it('contract 4: a search of 200 code points is accepted, and one of 201 is refused', async () => {
    for (const character of ['x', 'é', '漢', '👩']) {
      const longest = encodeURIComponent(character.repeat(200));
      expect(await idsOf(`${BLOGS}?search=+${longest}+`), character).to.equal('');
      expect(await messageFor(`${BLOGS}?search=${longest}${encodeURIComponent(character)}`)).to.match(
        /search.*200/,
      );
    }
  });

  for (const name of ['page', 'limit'] as const) {
    it(`contract 2: ${name} is refused unless it is in plain digits and within its range`, async () => {
      for (const value of [...NO_PLAIN_NUMBERS, ...TOO_HIGH[name]].map((text) => `=${text}`).concat('')) {
        expect(await messageFor(`${BLOGS}?${name}${value}`), value).to.include(name);
      }
    });
  }

  it('contract 2, 6, spec 2.5: pages and limits up to their ends are accepted, with true totals', async () => {
    const paginationOf = async (query: string) => (await caller.get(`${BLOGS}${query}`)).json().pagination;
    expect(await paginationOf('')).to.deep.equal({ page: 1, limit: 20, total: 2, pages: 1 });
    expect(await paginationOf('?limit=1')).to.deep.equal({ page: 1, limit: 1, total: 2, pages: 2 });
    const last = { page: 2147483647, limit: 100, total: 2, pages: 1 };
    expect(await paginationOf('?page=2147483647&limit=100')).to.deep.equal(last);
    expect(await idsOf(`${BLOGS}?page=2147483647&limit=100`)).to.equal('');
    expect(await paginationOf('?tag=none')).to.deep.equal({ page: 1, limit: 20, total: 0, pages: 0 });
  });

  it('contract 1: /blogs/slug/:slug requires website_id', async () => {
    for (const query of ['', '?website_id=', '?website_id=web_a1&website_id=web_a1']) {
      expect(await messageFor(`${BY_SLUG}${query}`)).to.include('website_id');
    }
  });

  for (const name of NAMES) {
    it(`contract 3: /blogs refuses a repeated ${name}, even with the same value`, async () => {
      for (const second of ['1', '2', '']) {
        expect(await messageFor(`${BLOGS}?${name}=1&unknown=1&${name}=${second}`)).to.include(name);
      }
    });
  }

  for (const name of ['category', 'tag']) {
    it(`contract 4: /blogs refuses an empty ${name}`, async () => {
      for (const query of [`${name}=`, name]) expect(await messageFor(`${BLOGS}?${query}`)).to.include(name);
    });
  }

  for (const [path, query] of [
    ...[
      'unknown=1&unknown=2&unknown',
      'PAGE=0&Limit=0&LIMIT=-1',
      'Website_Id=web_a2',
      'websiteId=web_a2',
    ].map((ignored) => [BLOGS, ignored]),
    ...['page%5B%5D=0', '%20page=0', '__proto__=0&constructor=0&toString=0', '=0', '=', '&&&'].map(
      (ignored) => [BLOGS, ignored],
    ),
    [BLOGS, 'sort=title&order=asc&X-API-Key=x'],
    ...['/api/v1/categories', '/api/v1/tags', '/api/v1/blogs/b1', `${BY_SLUG}?website_id=web_a1`].map(
      (endpoint) => [endpoint, 'page=0&limit=0&limit=0&category=&tag=&search=a&search=b'],
    ),
    ['/api/v1/blogs/b1', 'website_id=web_a2'],
    ['/api/v1/blogs/b1', 'website_id=&website_id=y'],
  ] as const) {
    it(`contract 1, 3: ${path} ignores ?${query}`, async () => {
      const answer = await caller.get(`${path}${path?.includes('?') ? '&' : '?'}${query}`);
      expect(answer.status).to.equal(200);
      expect(answer.text).to.equal((await caller.get(String(path))).text);
    });
  }

  for (const [query, message] of [
    ['?limit=101', /limit.*100.*"101"/],
    ['?page=-7', /page.*whole number.*"-7"/],
    ['?category=', /category.*empty.*""/],
    [`?search=${'s'.repeat(201)}`, /search.*200.*"s+/],
    ['/slug/slug-of-b1', /website_id.*required/],
    ['?tag=first-tag&tag=second-tag', /tag.*once.*first-tag.*second-tag/],
  ] as const) {
    it(`contract 11: the 400 for ${query.slice(0, 30)} contains the parameter, the rule and what was received`, async () => {
      expect(await messageFor(`${BLOGS}${query}`)).to.match(message);
    });
  }

  it('contract 11: the received value is cut to 100 characters', async () => {
    const shown = 'ä𝄞'.repeat(50);
    const message = await messageFor(`${BLOGS}?limit=${encodeURIComponent(`${shown}REST`)}`);
    expect(message).to.include(shown).and.not.to.include('REST');
    expect(await messageFor(`${BLOGS}?limit=${encodeURIComponent(shown)}`)).to.include(`"${shown}"`);
  });

  it('contract 11: one answer reports all errors', async () => {
    const query = `page=0&limit=1e9&category=&tag=a&tag=b&search=${'x'.repeat(201)}&website_id=%00`;
    const message = await messageFor(`${BLOGS}?${query}`);
    for (const text of [...NAMES, '"0"', '"1e9"']) expect(message).to.include(text);
  });
});
