import * as mocha from 'mocha';
import { SystemClock } from '../../src/adapters/system/system-clock.js';
import { MemoryRequestLog } from '../../src/contracts/fakes/memory-request-log.js';
import { requestLogContract } from '../../src/contracts/limits/request-log.contract.js';
import { SettableClock } from '../support/clock/settable-clock.js';

requestLogContract(mocha, MemoryRequestLog, async () => {
  const clock = new SettableClock();
  return { subject: new MemoryRequestLog(clock), advance: async (millis) => clock.advance(millis) };
});

describe('On a clock that cannot be moved,', () => {
  requestLogContract(
    mocha,
    MemoryRequestLog,
    async () => ({
      subject: new MemoryRequestLog(new SystemClock()),
    }),
    { lacks: ['advance'] },
  );
});
