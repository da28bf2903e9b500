import { expect } from 'chai';
import fc from 'fast-check';
import { OwnLog } from '../../../src/adapters/redis/own-log.js';
import type { Window } from '../../../src/domain/model/window.js';
import { recordRequest } from '../../../src/domain/policies/sliding-window.js';

const NOON = Date.UTC(2026, 0, 15, 12);
const WINDOW = { limit: 10, lengthMs: 60_000 };

function recordAlone(own: OwnLog, window: Window, now: number) {
  const refusal = own.refusalWithoutRedis(window, now);
  if (refusal !== null) return refusal;
  own.entries.append(now);
  return own.acceptance(window, now);
}

describe('OwnLog', () => {
  it('returns what the sliding-window policy returns if this process is the only one', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 40 })), {
      maxLength: 300,
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), steps, (lengthMs, steps) => {
        const [own, times] = [new OwnLog(0), [] as number[]];
        let now = NOON;
        for (const [limit, step] of steps) {
          now += step;
          const window = { limit, lengthMs };
          expect(recordAlone(own, window, now)).to.eql(recordRequest(times, window, now));
        }
      }),
    );
  });

  it('lets requests of other processes expire one by one, the oldest at the reported time', () => {
    const own = new OwnLog(0);
    own.setReport(10, 30_000, NOON, WINDOW);
    const accepted: number[] = [];
    for (let now = NOON; now < NOON + WINDOW.lengthMs; now += 1_000) {
      if (recordAlone(own, WINDOW, now).accepted) accepted.push((now - NOON) / 1_000);
    }
    expect(accepted).to.eql([30, 33, 36, 39, 42, 45, 48, 51, 54, 57]);
  });

  it('admits callers that waited as long as requested, whatever other processes had in the window', () => {
    const reports = fc.record({
      count: fc.integer({ min: 10, max: 30 }),
      oldestAge: fc.integer({ min: 0, max: 59_999 }),
      after: fc.integer({ min: 0, max: 59_999 }),
    });
    fc.assert(
      fc.property(reports, ({ count, oldestAge, after }) => {
        const own = new OwnLog(0);
        own.setReport(count, oldestAge, NOON, WINDOW);
        const state = own.refusalWithoutRedis(WINDOW, NOON + after);
        if (state === null) return;
        const wait = state.blockingAt + WINDOW.lengthMs - state.now;
        expect(own.refusalWithoutRedis(WINDOW, NOON + after + wait - 1)).not.to.equal(null);
        expect(own.refusalWithoutRedis(WINDOW, NOON + after + wait)).to.equal(null);
      }),
    );
  });
});
