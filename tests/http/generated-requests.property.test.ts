import { expect } from 'chai';
import fc from 'fast-check';
import { expectRightAnswer, startFuzzedApi } from '../fuzz/fuzzed-api.js';
import { anyRequest } from '../fuzz/generated-requests.js';
import type { ApiUnderTest } from '../support/api-under-test.js';
import { STAGES } from '../support/stages.js';

const REQUESTS = 300;

for (const stage of STAGES) {
  describe(`Requests made from the schemas, on ${stage}`, () => {
    let api: ApiUnderTest;
    before(async () => {
      api = await startFuzzedApi(stage);
    });
    after(() => api.stop());

    it(`spec 4: ${REQUESTS} of them are taken or refused as the schemas say, and answered as documented`, async () => {
      const statuses = new Set<number>();
      const property = fc.asyncProperty(anyRequest(), async (request) => {
        await expectRightAnswer(api, request);
        statuses.add(request.expected.status);
      });
      await fc.assert(property, { numRuns: REQUESTS });
      expect([...statuses]).to.have.members([200, 304, 400, 401, 404, 405]);
    });
  });
}
