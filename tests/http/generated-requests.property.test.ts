import { expect } from 'chai';
import fc from 'fast-check';
import { expectRightAnswer, startFuzzedApi } from '../qa/fuzz/fuzzed-api.js';
import { anyRequest } from '../qa/fuzz/generated-requests.js';
import type { ApiUnderTest } from '../support/http/api-under-test.js';
import { STAGES } from '../support/http/stages.js';

const REQUESTS = 300;

for (const stage of STAGES) {
  describe(`Requests generated from the schemas, on ${stage},`, () => {
    let api: ApiUnderTest;
    before(async () => {
      api = await startFuzzedApi(stage);
    });
    after(() => api.stop());

    it(`spec 4: are accepted or refused as the schemas require, and answered as documented (${REQUESTS} of them)`, async () => {
      const property = fc.asyncProperty(anyRequest(), (request) => expectRightAnswer(api, request));
      const numRuns = fc.readConfigureGlobal().numRuns ?? REQUESTS;
      await fc.assert(property, { numRuns });
    });
  });
}

describe('Requests generated from the schemas', () => {
  it('cover every possible status', () => {
    // The seed is fixed, because a few hundred random requests may miss a status.
    const requests = fc.sample(anyRequest(), { numRuns: 5_000, seed: 1 });
    const statuses = new Set(requests.map(({ expected: { status } }) => status));
    expect([...statuses]).to.have.members([200, 304, 400, 401, 404, 405]);
  });
});
