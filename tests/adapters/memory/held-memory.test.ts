import { expect } from 'chai';
import { LIST_BLOGS } from '../../../src/adapters/http/endpoints/endpoints.js';
import { requestParser } from '../../../src/adapters/http/request/request-parser.js';
import { renderAnswer } from '../../../src/adapters/http/response/send-response.js';
import { MemoryResponseCache } from '../../../src/adapters/memory/memory-response-cache.js';
import { SettableClock } from '../../support/clock/settable-clock.js';
import { bytesHeldBy } from '../../support/programs/held-memory.js';

const MEGABYTE = 1024 * 1024;
const ANSWERS = 10_000;

describe('The local cache', () => {
  it('holds little more than the body, the name and the tag of an answer, and none of the strings from which they were made', async () => {
    let bytesOfBodies = 0;
    const held = await bytesHeldBy(async () => {
      const parse = requestParser(LIST_BLOGS);
      const cache = new MemoryResponseCache(new SettableClock(), 100 * MEGABYTE);
      for (let n = 0; n < ANSWERS; n++) {
        const { request } = parse('', `search=${n}`, {});
        const answer = renderAnswer({ data: [], n });
        bytesOfBodies += answer.body.byteLength;
        await cache.put(
          { organizationId: `org_${n}`, generation: 1_700_000_000_000_000 + n, request },
          answer,
          60_000,
        );
      }
      return cache;
    });
    expect((held - bytesOfBodies) / ANSWERS).to.be.below(675);
  });
});
