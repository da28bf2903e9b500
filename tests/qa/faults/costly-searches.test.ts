import { expect } from 'chai';
import { aBlog } from '../../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../../support/http/api-under-test.js';
import { Caller } from '../../support/http/caller.js';
import { STAGES } from '../../support/http/stages.js';

/**
 * Few enough for the slowest machine. A search with more than proportional cost would exceed the second that a query
 * may take.
 */
const BLOGS = 300;
const LONGEST = 200;
/** Titles that nearly match the patterns that the searches below repeat. */
const TITLE = `${'a'.repeat(LONGEST)}${'%_\\'.repeat(LONGEST)}`;

const SEARCHES: Readonly<Record<string, string>> = {
  'per cent signs': '%'.repeat(LONGEST),
  underscores: '_'.repeat(LONGEST),
  backslashes: '\\'.repeat(LONGEST),
  'alternating wildcards': '%_'.repeat(LONGEST / 2),
  'wildcards between letters': '%a'.repeat(LONGEST / 2),
  'a text that all titles nearly contain': `${'a'.repeat(LONGEST - 1)}b`,
  'the end of every title': `${'%_\\'.repeat(LONGEST / 3 - 1)}%_`,
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
      it(`for ${what} find exactly the titles that contain them literally`, async () => {
        const answer = await caller.get(`/api/v1/blogs?limit=1&search=${encodeURIComponent(search)}`);
        expect(answer.status).to.equal(200);
        expect(answer.json().pagination.total).to.equal(TITLE.includes(search) ? BLOGS : 0);
      });
    }
  });
}
