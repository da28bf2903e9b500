import sinon from 'sinon';
import { SystemClock } from '../../src/adapters/system/system-clock.js';
import { SettableClock } from '../support/settable-clock.js';
import { clockContract } from './clock.contract.js';

describe('In a process whose time is moved by hand,', () => {
  let time: sinon.SinonFakeTimers;

  beforeEach(() => {
    time = sinon.useFakeTimers({ now: Date.UTC(2026, 0, 15), toFake: ['Date'] });
  });

  afterEach(() => {
    time.restore();
  });

  clockContract(SystemClock, () => ({
    subject: new SystemClock(),
    pass: async (millis) => void time.tick(millis),
  }));
});

clockContract(SettableClock, () => {
  const subject = new SettableClock();
  return { subject, pass: async (millis) => subject.advance(millis) };
});
