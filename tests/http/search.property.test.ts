import { expect } from 'chai';
import fc from 'fast-check';
import { aBlog } from '../../src/contracts/support/rows.js';
import { foldCase } from '../../src/domain/policies/text-folding.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { anyText } from '../support/http/arbitraries.js';
import { Caller } from '../support/http/caller.js';
import { STAGES } from '../support/http/stages.js';

const changes = [
  (text: string) => text,
  (text: string) => text.toUpperCase(),
  (text: string) => text.toLowerCase(),
  (text: string) => text.normalize('NFD'),
  (text: string) => text.normalize('NFC'),
  (text: string) => ` ${text} `,
];

/** Part of a title, in another case or Unicode form. */
const partOf = (title: string) =>
  fc
    .tuple(fc.nat(12), fc.integer({ min: 1, max: 6 }), fc.constantFrom(...changes))
    .map(([from, length, change]) =>
      change(
        [...title]
          .slice(from % (title.length + 1))
          .slice(0, length)
          .join(''),
      ),
    );

const titlesAndTerms = fc.array(anyText(12), { minLength: 1, maxLength: 8 }).chain((titles) =>
  fc.tuple(
    fc.constant(titles),
    fc.array(fc.oneof(anyText(4), fc.constantFrom(...titles).chain(partOf)), {
      minLength: 5,
      maxLength: 5,
    }),
  ),
);

for (const stage of STAGES) {
  describe(`Any search on ${stage}`, () => {
    let api: ApiUnderTest;
    before(async () => {
      api = await ApiUnderTest.start(stage);
    });
    after(() => api.stop());

    // All stages have the same oracle: if they agree with it, they agree with each other.
    it('contract 4: finds exactly the titles that contain the term, both folded', async () => {
      await fc.assert(
        fc.asyncProperty(titlesAndTerms, async ([titles, terms]) => {
          const caller = await Caller.of(api);
          const { organizationId } = caller;
          const blogs = titles.map((title, at) =>
            aBlog({ id: `${organizationId}-${at}`, organizationId, title }),
          );
          await api.put('blogs', ...blogs);

          for (const term of terms) {
            const answer = await caller.get(`/api/v1/blogs?search=${encodeURIComponent(term)}`);
            expect(answer.status, JSON.stringify(term)).to.equal(200);
            const found = blogs.filter(({ title }) => foldCase(title).includes(foldCase(term.trim())));
            const ids = answer.json().data.map(({ id }: { id: string }) => id);
            expect(ids, JSON.stringify(term)).to.deep.equal(found.map(({ id }) => id).reverse());
            expect(answer.json().pagination.total).to.equal(found.length);
          }
        }),
        { numRuns: 60 },
      );
    });

    it('contract 4: accepts any term of up to 200 code points, and refuses longer ones', async () => {
      const caller = await Caller.of(api);
      const character = anyText(4).map((text) => [...text].find((letter) => letter.trim() !== '') ?? 'x');
      await fc.assert(
        fc.asyncProperty(character, fc.integer({ min: 195, max: 205 }), async (letter, length) => {
          const term = encodeURIComponent(letter.repeat(length));
          const answer = await caller.get(`/api/v1/blogs?search=${term}`);
          expect(answer.status).to.equal(length <= 200 ? 200 : 400);
        }),
        { numRuns: 50 },
      );
    });
  });
}
