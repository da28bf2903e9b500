import { expect } from 'chai';
import * as mocha from 'mocha';
import sinon from 'sinon';
import { MonotonicClock, SystemClock } from '../../src/adapters/system/system-clock.js';
import { clockContract } from '../../src/contracts/system/clock.contract.js';
import { SettableClock } from '../support/clock/settable-clock.js';

describe('In a process whose time the test moves,', () => {
  let time: sinon.SinonFakeTimers;

  beforeEach(() => {
    time = sinon.useFakeTimers({ now: Date.UTC(2026, 0, 15), toFake: ['Date', 'performance'] });
  });

  afterEach(() => {
    time.restore();
  });

  clockContract(mocha, SystemClock, () => ({
    subject: new SystemClock(),
    pass: async (millis) => void time.tick(millis),
  }));

  clockContract(mocha, MonotonicClock, () => ({
    subject: new MonotonicClock(),
    pass: async (millis) => void time.tick(millis),
  }));

  it('MonotonicClock advances by the time that passes, however the system clock is set', () => {
    const clock = new MonotonicClock();
    const start = clock.now();
    time.setSystemTime(Date.UTC(2020, 0));
    time.tick(5);
    expect(clock.now() - start).to.equal(5);
  });
});

clockContract(mocha, SettableClock, () => {
  const subject = new SettableClock();
  return { subject, pass: async (millis) => subject.advance(millis) };
});
