import { expect } from 'chai';
import type { Clock } from '../../domain/ports/system/clock.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';

export interface ClockSubject {
  readonly subject: Clock;
  /** Lets this much time pass, at least for this clock. */
  pass(millis: number): Promise<void>;
}

const START_OF_2020 = Date.UTC(2020, 0);
const START_OF_2200 = Date.UTC(2200, 0);

export function clockContract(
  runner: Runner,
  Adapter: AdapterClass<Clock>,
  makeSubject: () => ClockSubject,
): void {
  const { describe, it, beforeEach } = runner;
  describe(`${Adapter.name}, a clock,`, () => {
    let clock: Clock;
    let pass: ClockSubject['pass'];

    beforeEach(() => {
      ({ subject: clock, pass } = makeSubject());
    });

    itIsTestedItself(runner, Adapter, () => clock);

    it('returns whole milliseconds', () => {
      expect(clock.now()).to.satisfy(Number.isSafeInteger);
    });

    // Seconds, microseconds, or milliseconds since the process started would be far outside.
    it('counts them since 1970', () => {
      expect(clock.now()).to.be.within(START_OF_2020, START_OF_2200);
    });

    it('advances by the time that passes', async () => {
      const start = clock.now();
      await pass(250);
      expect(clock.now() - start).to.equal(250);
      await pass(60_000);
      expect(clock.now() - start).to.equal(60_250);
    });
  });
}
