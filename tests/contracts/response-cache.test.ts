import * as mocha from 'mocha';
import { SystemClock } from '../../src/adapters/system/system-clock.js';
import { responseCacheContract } from '../../src/contracts/cache/response-cache.contract.js';
import { MemoryResponseCache } from '../../src/contracts/fakes/memory-response-cache.js';
import { SettableClock } from '../support/clock/settable-clock.js';

responseCacheContract(mocha, MemoryResponseCache, async () => {
  const clock = new SettableClock();
  const subject = new MemoryResponseCache(clock);
  return { subject, advance: async (millis) => clock.advance(millis) };
});

describe('On a clock that cannot be moved,', () => {
  responseCacheContract(
    mocha,
    MemoryResponseCache,
    async () => ({
      subject: new MemoryResponseCache(new SystemClock()),
    }),
    { lacks: ['advance'] },
  );
});
