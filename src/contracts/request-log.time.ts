import { expect } from 'chai';
import type { RequestLog } from '../domain/ports/request-log.js';
import { type LoggedKey, newKey } from './request-log.keys.js';
import type { RequestLogSubject } from './request-log.subject.js';
import type { Runner } from './runner.js';
import { capabilityOf, itNeeding, type Lacking } from './support/capabilities.js';

const MINUTE = 60_000;

/** The part of the contract that needs a movable clock. */
export function itKeepsTime(
  runner: Runner,
  makeSubject: () => Promise<RequestLogSubject>,
  lacking: Lacking<'advance'>,
): void {
  const { describe, beforeEach } = runner;
  const it = itNeeding(runner.it, 'advance', lacking);
  describe('on a clock that can be moved,', () => {
    let log: RequestLog;
    let advance: NonNullable<RequestLogSubject['advance']>;
    let key: LoggedKey;

    beforeEach(async () => {
      const given = await makeSubject();
      log = given.subject;
      advance = capabilityOf(given, 'advance', lacking) ?? advance;
      key = newKey();
    });

    it('lets a request leave the window when its length has passed, to the millisecond', async () => {
      const window = { limit: 1, lengthMs: MINUTE };
      const { now } = await log.record(key, window);
      await advance(MINUTE - 1);
      expect(await log.record(key, window)).to.include({
        accepted: false,
        count: 1,
        oldestAt: now,
        blockingAt: now,
      });
      await advance(1);
      expect(await log.record(key, window)).to.include({
        accepted: true,
        count: 1,
        oldestAt: now + MINUTE,
      });
    });

    it('writes nothing for a request that it rejects', async () => {
      const window = { limit: 2, lengthMs: MINUTE };
      for (let n = 0; n < 2; n++) await log.record(key, window);
      await advance(MINUTE / 2);
      for (let n = 0; n < 10; n++) await log.record(key, window);
      await advance(MINUTE / 2);
      expect(await log.record(key, window)).to.include({ accepted: true, count: 1 });
    });

    it('slides: each request makes room for one when it leaves', async () => {
      const window = { limit: 2, lengthMs: MINUTE };
      const { now } = await log.record(key, window);
      await advance(MINUTE / 2);
      await log.record(key, window);
      await advance(MINUTE / 2);
      const states = [await log.record(key, window), await log.record(key, window)];
      expect(states.map(({ accepted }) => accepted)).to.deep.equal([true, false]);
      expect(states[0]).to.include({ count: 2, oldestAt: now + MINUTE / 2 });
    });

    it('accepts nothing under a lowered limit until enough requests have left the window', async () => {
      const [window, lowered] = [
        { limit: 4, lengthMs: MINUTE },
        { limit: 2, lengthMs: MINUTE },
      ];
      const { now: first } = await log.record(key, window);
      for (const pause of [10, 10, 10]) {
        await advance(pause);
        await log.record(key, window);
      }
      const full = { accepted: false, count: 4, oldestAt: first, blockingAt: first + 20 };
      expect(await log.record(key, lowered)).to.include(full);
      await advance(MINUTE - 11);
      expect(await log.record(key, lowered)).to.include({
        accepted: false,
        count: 2,
        blockingAt: first + 20,
      });
      await advance(1);
      expect(await log.record(key, lowered)).to.include({ accepted: true, count: 2, oldestAt: first + 30 });
    });

    it('stands still while its clock is back by less than a window, and starts again beyond that', async () => {
      const window = { limit: 2, lengthMs: MINUTE };
      const { now } = await log.record(key, window);
      await advance(1 - MINUTE);
      const back = { oldestAt: now, blockingAt: now, now: now + 1 - MINUTE };
      expect(await log.record(key, window)).to.include({ ...back, accepted: true, count: 2 });
      expect(await log.record(key, window)).to.include({ ...back, accepted: false, count: 2 });
      await advance(MINUTE - 1);
      expect(await log.record(key, window)).to.include({ accepted: false, count: 2, now });
      await advance(-MINUTE);
      const second = await log.record(key, window);
      expect(second).to.include({ accepted: true, count: 1, now: now - MINUTE });
    });
  });
}
