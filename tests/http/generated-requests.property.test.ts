import { expect } from 'chai';
import fc from 'fast-check';
import { expectRightAnswer, startFuzzedApi } from '../fuzz/fuzzed-api.js';
import { anyRequest } from '../fuzz/generated-requests.js';
import type { ApiUnderTest } from '../support/http/api-under-test.js';
import { STAGES } from '../support/http/stages.js';

const REQUESTS = 300;

for (const stage of STAGES) {
  describe(`Requests made from the schemas, on ${stage}`, () => {
    let api: ApiUnderTest;
    before(async () => {
      api = await startFuzzedApi(stage);
    });
    after(() => api.stop());

    it(`spec 4: ${REQUESTS} of them are taken or refused as the schemas say, and answered as documented`, async () => {
      const property = fc.asyncProperty(anyRequest(), (request) => expectRightAnswer(api, request));
      await fc.assert(property, { numRuns: REQUESTS });
    });
  });
}

describe('Requests made from the schemas', () => {
  it('come to every status that they can', () => {
    // Of a seed of its own: among a few hundred at random, one status may be missing.
    const requests = fc.sample(anyRequest(), { numRuns: 5_000, seed: 1 });
    const statuses = new Set(requests.map(({ expected: { status } }) => status));
    expect([...statuses]).to.have.members([200, 304, 400, 401, 404, 405]);
  });
});
