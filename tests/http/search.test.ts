import { expect } from 'chai';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { STAGES } from '../support/http/stages.js';

const TITLES = [
  'Visit to the École normale',
  'Ecole without an accent',
  'Große Straße',
  'ΟΔΟΣ of Athens',
  'οδος in small letters',
  '100% cotton',
  '1000 cottons',
  'snake_case',
  'snakeXcase',
  'back\\slash',
  'It\'s "quoted"',
  'Cafe\u0301 decomposed',
  'Ελληνικά',
  'Πίτα και ΣΟΥΒΛΆΚΙ',
  'Emoji 👩‍👩‍👧 family',
  'two  blanks',
  'a+b',
];

/** Search terms as a caller types them, with the titles that they find. */
const FOUND: readonly (readonly [string, readonly string[]])[] = [
  ['ÉCOLE', ['Visit to the École normale']],
  ['école', ['Visit to the École normale']],
  ['e\u0301cole', ['Visit to the École normale']],
  ['ecole', ['Ecole without an accent']],
  ['STRASSE', ['Große Straße']],
  ['straße', ['Große Straße']],
  ['STRAẞE', ['Große Straße']],
  ['ΟΔΟΣ', ['ΟΔΟΣ of Athens', 'οδος in small letters']],
  ['οδος', ['ΟΔΟΣ of Athens', 'οδος in small letters']],
  ['οδοσ', ['ΟΔΟΣ of Athens', 'οδος in small letters']],
  ['100%', ['100% cotton']],
  ['%', ['100% cotton']],
  ['%cotton', []],
  ['snake_case', ['snake_case']],
  ['_', ['snake_case']],
  ['back\\', ['back\\slash']],
  ['\\', ['back\\slash']],
  ['\\%', []],
  ['\'s "', ['It\'s "quoted"']],
  ['CAFÉ', ['Cafe\u0301 decomposed']],
  ['σουβλάκι', ['Πίτα και ΣΟΥΒΛΆΚΙ']],
  ['👩‍👩‍👧', ['Emoji 👩‍👩‍👧 family']],
  ['two blanks', []],
  ['two  blanks', ['two  blanks']],
  ['a+b', ['a+b']],
  ['nothing like it', []],
];

for (const stage of STAGES) {
  describe(`Search on ${stage}`, () => {
    let api: ApiUnderTest;
    let caller: Caller;
    const list = (query: string) => caller.get(`/api/v1/blogs?limit=100&${query}`);
    const titlesOf = async (query: string): Promise<string[]> => {
      const { data, pagination } = (await list(query)).json();
      expect(pagination.total).to.equal(data.length);
      return data.map(({ title }: { title: string }) => title).sort();
    };

    before(async () => {
      api = await ApiUnderTest.start(stage);
      caller = await Caller.of(api, 'org_a');
      await api.put('blogs', ...TITLES.map((title, at) => aBlog({ id: `b${at}`, title })));
    });
    after(() => api.stop());

    for (const [term, titles] of FOUND) {
      it(`contract 4: a search for ${term} finds ${titles.join(' and ') || 'nothing'}`, async () => {
        const found = await titlesOf(`search=${encodeURIComponent(term)}`);
        expect(found).to.deep.equal([...titles].sort());
      });
    }

    for (const [written, blank] of [
      ['search=', 'empty'],
      ['search', 'without a value'],
      ['search=%20', 'a space'],
      ['search=+++', 'spaces'],
      ['search=%09%0A%C2%A0%E3%80%80', 'white space of other kinds'],
    ]) {
      it(`contract 4: a search that is ${blank} is ignored`, async () => {
        expect(await titlesOf(`${written}`)).to.have.length(TITLES.length);
      });
    }

    it('contract 4: white space around a search is ignored', async () => {
      for (const term of [
        '+snake_case',
        'snake_case%20',
        '%09%C2%A0snake_case%0A',
        '%20'.repeat(300).concat('snake_case'),
      ]) {
        expect(await titlesOf(`search=${term}`)).to.deep.equal(['snake_case']);
      }
    });

    it('contract 4: a search of 200 code points is accepted, and one of 201 is refused', async () => {
      for (const character of ['x', 'é', '漢', '👩']) {
        const longest = encodeURIComponent(character.repeat(200));
        expect((await list(`search=${longest}`)).status, character).to.equal(200);
        expect((await list(`search=+${longest}+`)).status, character).to.equal(200);
        const answer = await list(`search=${longest}${encodeURIComponent(character)}`);
        expect(answer.status, character).to.equal(400);
        expect(answer.json().error.message).to.match(/search.*200/);
      }
    });

    it('spec 4.1: a space in a search is encoded as %20 or +', async () => {
      for (const term of ['to%20the', 'to+the', 'TO%20THE']) {
        expect(await titlesOf(`search=${term}`)).to.deep.equal(['Visit to the École normale']);
      }
      expect(await titlesOf('search=a%2Bb')).to.deep.equal(['a+b']);
      expect(await titlesOf('search=a+b')).to.deep.equal([]);
    });

    it('spec 4.1: a search matches only titles', async () => {
      const fields = { excerpt: 'needle', metaTitle: 'needle', metaDescription: 'needle', slug: 'needle' };
      await api.put('blogs', aBlog({ id: 'hay', title: 'Hay', contentHtml: '<p>needle</p>', ...fields }));
      expect(await titlesOf('search=needle')).to.deep.equal([]);
      await api.remove('blogs', 'hay');
    });
  });
}
