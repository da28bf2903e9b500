import { expect } from 'chai';
import fc from 'fast-check';
import { expectRightAnswer, startFuzzedApi } from '../fuzz/fuzzed-api.js';
import { anyRequest } from '../fuzz/generated-requests.js';
import { type ApiUnderTest, STORAGES } from '../support/api-under-test.js';

const REQUESTS = 300;

for (const storage of STORAGES) {
  describe(`Requests made from the schemas, on ${storage}`, () => {
    let api: ApiUnderTest;
    before(async () => {
      api = await startFuzzedApi(storage);
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
