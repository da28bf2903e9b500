import { expect } from 'chai';
import { aBlog, aCategory, aTag } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { ANY_STAGE } from '../support/http/stages.js';

const BY_SLUG = '/api/v1/blogs/slug/slug-of-b1';
const idsIn = (answer: { json(): { data: { id: string }[] } }) =>
  answer
    .json()
    .data.map(({ id }) => id)
    .sort();

describe('Parameters', () => {
  let api: ApiUnderTest;
  let caller: Caller;
  const messageFor = async (path: string): Promise<string> => {
    const answer = await caller.get(path);
    expect(answer.status, path).to.equal(400);
    return answer.json().error.message;
  };

  before(async () => {
    api = await ApiUnderTest.start(ANY_STAGE);
    caller = await Caller.of(api, 'org_a');
    const terms = [
      { id: '1', websiteId: 'web_a1' },
      { id: '2', websiteId: 'web_a2' },
    ];
    await api.put('blogs', ...terms.map(({ id, websiteId }) => aBlog({ id: `b${id}`, websiteId })));
    await api.put('categories', ...terms.map(({ id, websiteId }) => aCategory({ id: `c${id}`, websiteId })));
    await api.put('tags', ...terms.map(({ id, websiteId }) => aTag({ id: `t${id}`, websiteId })));
  });
  after(() => api.stop());

  for (const [path, letter] of [
    ['/api/v1/blogs', 'b'],
    ['/api/v1/categories', 'c'],
    ['/api/v1/tags', 't'],
  ]) {
    it(`contract 1: ${path} returns all websites of the organization, or only the requested one`, async () => {
      expect(idsIn(await caller.get(`${path}`))).to.deep.equal([`${letter}1`, `${letter}2`]);
      expect(idsIn(await caller.get(`${path}?website_id=web_a1`))).to.deep.equal([`${letter}1`]);
      expect(idsIn(await caller.get(`${path}?website_id=web_a2`))).to.deep.equal([`${letter}2`]);
    });

    it(`contract 4: ${path} refuses an empty website_id`, async () => {
      for (const query of ['website_id=', 'website_id', '&website_id=&']) {
        expect(await messageFor(`${path}?${query}`)).to.include('website_id');
      }
    });

    it(`contract 3: ${path} refuses a repeated website_id`, async () => {
      for (const query of ['website_id=web_a1&website_id=web_a2', 'website_id=web_a1&website%5Fid=web_a1']) {
        expect(await messageFor(`${path}?${query}`)).to.include('website_id');
      }
    });
  }

  it('contract 1: /blogs/slug/:slug requires website_id', async () => {
    expect(await messageFor(BY_SLUG)).to.include('website_id');
    expect(await messageFor(`${BY_SLUG}?website_id=`)).to.include('website_id');
    expect(await messageFor(`${BY_SLUG}?website_id=web_a1&website_id=web_a1`)).to.include('website_id');
    expect((await caller.get(`${BY_SLUG}?website_id=web_a1`)).status).to.equal(200);
  });

  it('contract 1: /blogs/:id ignores website_id, even an invalid one', async () => {
    const plain = await caller.get('/api/v1/blogs/b1');
    for (const query of ['website_id=web_a2', 'website_id=', 'website_id=x&website_id=y']) {
      const answer = await caller.get(`/api/v1/blogs/b1?${query}`);
      expect(answer.status, query).to.equal(200);
      expect(answer.text).to.equal(plain.text);
    }
  });

  for (const name of ['page', 'limit', 'category', 'tag', 'search', 'website_id']) {
    it(`contract 3: /blogs refuses a repeated ${name}, even with the same value`, async () => {
      for (const [first, second] of [
        ['1', '1'],
        ['1', '2'],
        ['1', ''],
      ]) {
        const message = await messageFor(`/api/v1/blogs?${name}=${first}&page=1&${name}=${second}`);
        expect(message).to.include(name);
      }
    });
  }

  for (const name of ['category', 'tag']) {
    it(`contract 4: /blogs refuses an empty ${name}`, async () => {
      expect(await messageFor(`/api/v1/blogs?${name}=`)).to.include(name);
      expect(await messageFor(`/api/v1/blogs?${name}`)).to.include(name);
    });
  }

  for (const query of [
    'unknown=1',
    'unknown=1&unknown=2&unknown',
    'PAGE=0',
    'Limit=0&LIMIT=-1',
    'Website_Id=web_a2',
    'websiteId=web_a2',
    'page%5B%5D=0',
    '%20page=0',
    '__proto__=0&constructor=0&toString=0',
    '=0',
    '=',
    '&&&',
    'sort=title&order=asc',
    'X-API-Key=x',
  ]) {
    it(`contract 3: /blogs ignores ?${query}`, async () => {
      const answer = await caller.get(`/api/v1/blogs?${query}`);
      expect(answer.status).to.equal(200);
      expect(answer.text).to.equal((await caller.get('/api/v1/blogs')).text);
    });
  }

  for (const path of [
    '/api/v1/categories',
    '/api/v1/tags',
    '/api/v1/blogs/b1',
    `${BY_SLUG}?website_id=web_a1`,
  ]) {
    it(`contract 3: ${path} ignores the parameters of other endpoints`, async () => {
      const others = 'page=0&limit=0&limit=0&category=&tag=&search=a&search=b';
      const answer = await caller.get(`${path}${path.includes('?') ? '&' : '?'}${others}`);
      expect(answer.status).to.equal(200);
      expect(answer.text).to.equal((await caller.get(path)).text);
    });
  }

  it('contract 11: a 400 contains the parameter, the rule and the received value', async () => {
    expect(await messageFor('/api/v1/blogs?limit=101')).to.match(/limit.*100.*"101"/);
    expect(await messageFor('/api/v1/blogs?page=-7')).to.match(/page.*whole number.*"-7"/);
    expect(await messageFor('/api/v1/blogs?category=')).to.match(/category.*empty.*""/);
    expect(await messageFor(`/api/v1/blogs?search=${'s'.repeat(201)}`)).to.match(/search.*200.*"s+/);
    expect(await messageFor(BY_SLUG)).to.match(/website_id.*required/);
  });

  it('contract 11: a 400 for a repeated parameter contains all received values', async () => {
    const message = await messageFor('/api/v1/blogs?tag=first-tag&tag=second-tag');
    expect(message).to.match(/tag.*once/);
    expect(message).to.include('first-tag').and.to.include('second-tag');
  });

  it('contract 11: the received value is cut to 100 characters', async () => {
    const shown = 'ä𝄞'.repeat(50);
    const message = await messageFor(`/api/v1/blogs?limit=${encodeURIComponent(`${shown}REST`)}`);
    expect(message).to.include(shown).and.not.to.include('REST');
    expect(await messageFor(`/api/v1/blogs?limit=${encodeURIComponent(shown)}`)).to.include(`"${shown}"`);
  });

  it('contract 11: one answer reports all errors', async () => {
    const long = 'x'.repeat(201);
    const query = `page=0&limit=1e9&category=&tag=a&tag=b&search=${long}&website_id=%00`;
    const message = await messageFor(`/api/v1/blogs?${query}`);
    for (const name of ['page', 'limit', 'category', 'tag', 'search', 'website_id']) {
      expect(message).to.include(name);
    }
    expect(message).to.include('"0"').and.to.include('"1e9"');
  });
});
