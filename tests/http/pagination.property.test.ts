import { expect } from 'chai';
import fc from 'fast-check';
import { aBlog } from '../../src/contracts/support/rows.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';
import { STAGES } from '../support/http/stages.js';

const TIMES = [-1, 0, Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 1) + 1, Date.UTC(2026, 0, 2)];

const blogs = fc.uniqueArray(
  fc.record({
    suffix: fc.string({
      unit: fc.constantFrom('a', 'B', '1', '10', 'é', '～', '😀'),
      minLength: 1,
      maxLength: 3,
    }),
    publishedAt: fc.constantFrom(...TIMES),
    websiteId: fc.constantFrom('web-1', 'web-2'),
  }),
  { maxLength: 30, selector: ({ suffix }) => suffix },
);

/** Compares two texts by code point, with a different implementation from the domain's. */
function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

for (const stage of STAGES) {
  describe(`Any pagination on ${stage}`, () => {
    let api: ApiUnderTest;
    before(async () => {
      api = await ApiUnderTest.start(stage);
    });
    after(() => api.stop());

    it('contract 12: all pages together are the whole list, in the documented order, with correct totals', async () => {
      await fc.assert(
        fc.asyncProperty(
          blogs,
          fc.integer({ min: 1, max: 12 }),
          fc.boolean(),
          async (given, limit, filtered) => {
            const caller = await Caller.of(api);
            const { organizationId } = caller;
            const own = (name: string) => `${organizationId}-${name}`;
            const rows = given.map(({ suffix, websiteId, ...blog }) =>
              aBlog({ ...blog, id: own(suffix), websiteId: own(websiteId), organizationId }),
            );
            await api.put('blogs', ...rows);
            const expected = rows
              .filter(({ websiteId }) => !filtered || websiteId === own('web-1'))
              .sort((a, b) => b.publishedAt - a.publishedAt || compare(b.id, a.id))
              .map(({ id }) => id);
            const [total, pages] = [expected.length, Math.ceil(expected.length / limit)];

            const seen: string[] = [];
            for (let page = 1; page <= pages + 1; page++) {
              const filter = filtered ? `&website_id=${own('web-1')}` : '';
              const answer = (await caller.get(`/api/v1/blogs?page=${page}&limit=${limit}${filter}`)).json();
              expect(answer.pagination).to.deep.equal({ page, limit, total, pages });
              expect(answer.data).to.have.length(Math.max(0, Math.min(limit, total - (page - 1) * limit)));
              seen.push(...answer.data.map(({ id }: { id: string }) => id));
            }
            expect(seen).to.deep.equal(expected);
          },
        ),
        { numRuns: 60 },
      );
    });
  });
}
