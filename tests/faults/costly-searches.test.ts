import { expect } from 'chai';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { STAGES } from '../support/http/stages.js';

/** Few enough for the slowest machine; what takes a time out of all proportion to them takes more than the second that a query has. */
const BLOGS = 300;
const LONGEST = 200;
/** Titles that nearly match whatever the searches below repeat. */
const TITLE = `${'a'.repeat(LONGEST)}${'%_\\'.repeat(LONGEST)}`;

const SEARCHES: Readonly<Record<string, string>> = {
  'per cent signs': '%'.repeat(LONGEST),
  underscores: '_'.repeat(LONGEST),
  backslashes: '\\'.repeat(LONGEST),
  'wildcards in turn': '%_'.repeat(LONGEST / 2),
  'wildcards between letters': '%a'.repeat(LONGEST / 2),
  'what all titles nearly have': `${'a'.repeat(LONGEST - 1)}b`,
  'what every title ends with': `${'%_\\'.repeat(LONGEST / 3 - 1)}%_`,
};

for (const stage of STAGES) {
  describe(`Searches of ${LONGEST} characters in ${BLOGS} blogs on ${stage}`, () => {
    let api: ApiUnderTest;
    let caller: Caller;

    before(async () => {
      api = await ApiUnderTest.start(stage);
      caller = await Caller.of(api, 'org_a');
      await api.put(
        'blogs',
        ...Array.from({ length: BLOGS }, (_, n) => aBlog({ id: `b${n}`, title: TITLE })),
      );
    });
    after(() => api.stop());

    for (const [what, search] of Object.entries(SEARCHES)) {
      it(`made of ${what} find what has them to the letter`, async () => {
        const answer = await caller.get(`/api/v1/blogs?limit=1&search=${encodeURIComponent(search)}`);
        expect(answer.status).to.equal(200);
        expect(answer.json().pagination.total).to.equal(TITLE.includes(search) ? BLOGS : 0);
      });
    }
  });
}
