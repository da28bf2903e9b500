import { expect } from 'chai';
import fc from 'fast-check';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { anyText } from '../support/http/arbitraries.js';
import { Caller } from '../support/http/caller.js';
import { STAGES } from '../support/http/stages.js';

const numberLike = fc.oneof(
  fc.integer({ min: -2, max: 103 }).map(String),
  fc.constantFrom(
    '2147483646',
    '2147483647',
    '2147483648',
    '4294967297',
    '1e1',
    '0x1',
    '010',
    '+5',
    '-5',
    '5.0',
  ),
  fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String),
  fc.double().map(String),
  fc
    .tuple(
      fc.constantFrom('', ' ', '+', '0', '\t', '٣'),
      fc.nat(120),
      fc.constantFrom('', ' ', 'n', '.', 'e0', '\n', '\0', '%'),
    )
    .map((parts) => parts.join('')),
  anyText(5),
);

/** A text to send, and its value if the contract accepts it. */
const parameter = (maximum: number) =>
  fc.option(numberLike, { nil: null }).map((text) => ({
    text,
    value: text !== null && /^[1-9][0-9]*$/.test(text) && Number(text) <= maximum ? Number(text) : null,
  }));

for (const stage of STAGES) {
  describe(`Any page and limit on ${stage}`, () => {
    let api: ApiUnderTest;
    let caller: Caller;
    before(async () => {
      api = await ApiUnderTest.start(stage);
      caller = await Caller.of(api);
    });
    after(() => api.stop());

    it('contract 2: are accepted if and only if they are plain digits within their range', async () => {
      await fc.assert(
        fc.asyncProperty(parameter(2 ** 31 - 1), parameter(100), async (page, limit) => {
          const given = Object.entries({ page: page.text, limit: limit.text }).filter(
            ([, text]) => text !== null,
          );
          const query = given.map(([name, text]) => `${name}=${encodeURIComponent(String(text))}`).join('&');
          const answer = await caller.get(`/api/v1/blogs?${query}`);

          const refused = Object.entries({ page, limit }).filter(
            ([, { text, value }]) => text !== null && value === null,
          );
          expect(answer.status).to.equal(refused.length === 0 ? 200 : 400);
          for (const [name] of refused) expect(answer.json().error.message).to.include(name);
          if (refused.length > 0) return;
          const taken = { page: page.value ?? 1, limit: limit.value ?? 20 };
          expect(answer.json().pagination).to.deep.equal({ ...taken, total: 0, pages: 0 });
        }),
        { numRuns: 250 },
      );
    });
  });
}
