import { expect } from 'chai';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { STAGES } from '../support/http/stages.js';

const TITLES = ['Visit to the École normale', 'Große Straße', '100% cotton', 'snake_case', 'a+b'];

/** What matches is in the contract of the blog reader and in the policies: here is only what becomes of the parameter. */
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
      await api.put('blogs', ...TITLES.map((title, index) => aBlog({ id: `b${index}`, title })));
    });
    after(() => api.stop());

    for (const [term, titles] of [
      ['STRASSE', ['Große Straße']],
      ['e\u0301cole', ['Visit to the École normale']],
      ['ecole', []],
      ['%', ['100% cotton']],
    ] as const) {
      it(`contract 4: a search for ${term} finds ${titles.join(' and ') || 'nothing'}`, async () => {
        expect(await titlesOf(`search=${encodeURIComponent(term)}`)).to.deep.equal(titles);
      });
    }

    it('contract 4: a blank search is ignored', async () => {
      for (const blank of ['search=', 'search', 'search=%20', 'search=+++', 'search=%09%0A%C2%A0%E3%80%80']) {
        expect(await titlesOf(blank), blank).to.have.length(TITLES.length);
      }
    });

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
  });
}
