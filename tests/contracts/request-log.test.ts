import { MemoryRequestLog } from '../../src/adapters/memory/memory-request-log.js';
import { SystemClock } from '../../src/adapters/system/system-clock.js';
import { SettableClock } from '../support/settable-clock.js';
import { requestLogContract } from './request-log.contract.js';

requestLogContract(MemoryRequestLog, async () => {
  const clock = new SettableClock();
  return { subject: new MemoryRequestLog(clock), advance: async (millis) => clock.advance(millis) };
});

describe('On a clock that cannot be moved,', () => {
  requestLogContract(MemoryRequestLog, async () => ({
    subject: new MemoryRequestLog(new SystemClock()),
    advance: null,
  }));
});
