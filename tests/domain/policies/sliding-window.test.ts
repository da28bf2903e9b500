import { expect } from 'chai';
import fc from 'fast-check';
import { judge, recordRequest, refusalOf } from '../../../src/domain/policies/sliding-window.js';

const limit = fc.integer({ min: 1, max: 6 });
const lengthMs = fc.integer({ min: 1, max: 50 });
/** How far the clock moves between two requests: often not at all. */
const forward = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40 }));
const anywhere = fc.oneof(forward, fc.integer({ min: -120, max: 120 }));
const NOON = Date.UTC(2026, 0, 15, 12);

/** The same rule, written differently: it keeps no order, counts everything, and stores only accepted requests. */
function modelOf(lengthMs: number) {
  let kept: number[] = [];
  return (limit: number, clockNow: number) => {
    if (Math.max(...kept) - clockNow >= lengthMs) kept = [];
    const now = Math.max(clockNow, ...kept);
    const inside = kept.filter((time) => time + lengthMs > now);
    const accepted = inside.length < limit;
    const counted = accepted ? [...inside, now] : inside;
    if (accepted) kept = counted;
    const blocking = accepted ? undefined : [...counted].sort((a, b) => b - a)[limit - 1];
    const oldestAt = Math.min(...counted);
    return { accepted, count: counted.length, oldestAt, blockingAt: blocking ?? oldestAt };
  };
}

describe('recordRequest, for any requests,', () => {
  it('agrees with the model, with changing limits and a clock that jumps', () => {
    const requests = fc.array(fc.tuple(limit, anywhere), { maxLength: 60 });
    fc.assert(
      fc.property(lengthMs, requests, (lengthMs, requests) => {
        const times: number[] = [];
        const model = modelOf(lengthMs);
        let clock = NOON;
        for (const [limit, move] of requests) {
          clock += move;
          const refusal = refusalOf(times, { limit, lengthMs }, clock);
          const recorded = recordRequest(times, { limit, lengthMs }, clock);
          expect(refusal).to.eql(recorded.accepted ? null : recorded);
          const { now, ...state } = recorded;
          expect(state).to.eql(model(limit, clock));
        }
      }),
    );
  });

  it('never accepts more than the limit in any period of the length of the window', () => {
    fc.assert(
      fc.property(limit, lengthMs, fc.array(forward, { maxLength: 200 }), (limit, lengthMs, moves) => {
        const times: number[] = [];
        const accepted: number[] = [];
        let clock = NOON;
        for (const move of moves) {
          clock += move;
          if (recordRequest(times, { limit, lengthMs }, clock).accepted) accepted.push(clock);
        }
        expectAtMost(limit, lengthMs, accepted);
      }),
    );
  });

  it('never exceeds the limit in real time either, while the clock steps back by less than a window', () => {
    const steps = fc.array(fc.tuple(forward, fc.boolean()), { maxLength: 200 });
    fc.assert(
      fc.property(limit, lengthMs, steps, (limit, lengthMs, steps) => {
        const times: number[] = [];
        const accepted: number[] = [];
        let trueTime = NOON;
        let lag = 0;
        for (const [move, stepsBack] of steps) {
          trueTime += move;
          if (stepsBack && lag < lengthMs - 1) lag++;
          if (recordRequest(times, { limit, lengthMs }, trueTime - lag).accepted) accepted.push(trueTime);
        }
        expectAtMost(limit, lengthMs, accepted);
      }),
    );
  });

  it('keeps at most as many times as the highest limit so far', () => {
    const requests = fc.array(fc.tuple(limit, anywhere), { maxLength: 60 });
    fc.assert(
      fc.property(lengthMs, requests, (lengthMs, requests) => {
        const times: number[] = [];
        let clock = NOON;
        for (const [limit, move] of requests) {
          clock += move;
          recordRequest(times, { limit, lengthMs }, clock);
        }
        expect(times.length).to.be.at.most(Math.max(0, ...requests.map(([limit]) => limit)));
      }),
    );
  });

  it('accepts a rejected caller after the required wait, and not a millisecond sooner', () => {
    const requests = fc.array(fc.tuple(limit, forward), { minLength: 1, maxLength: 60 });
    fc.assert(fc.property(lengthMs, requests, expectThroughAfterWaiting));
  });

  it('does so even while its time stands still because the clock stepped back', () => {
    const smallSteps = fc.oneof(forward, fc.integer({ min: -9, max: -1 }));
    const requests = fc.array(fc.tuple(limit, smallSteps), { minLength: 1, maxLength: 60 });
    fc.assert(fc.property(fc.integer({ min: 10, max: 50 }), requests, expectThroughAfterWaiting));
  });
});

const window = { limit: 100, lengthMs: 60_000 };

describe('judge', () => {
  it('admits an accepted request and returns how many requests remain', () => {
    const first = { accepted: true, count: 1, oldestAt: NOON, blockingAt: NOON, now: NOON };

    expect(judge(first, window)).to.eql({ admitted: true, remaining: 99, resetAt: NOON + 60_000 });
  });

  it('refuses a rejected request until the oldest request leaves the window', () => {
    const state = {
      accepted: false,
      count: 100,
      oldestAt: NOON - 59_000,
      blockingAt: NOON - 59_000,
      now: NOON,
    };

    expect(judge(state, window)).to.eql({
      admitted: false,
      remaining: 0,
      resetAt: NOON + 1000,
      retryAfterMs: 1000,
    });
  });

  it('requires a wait for the blocking request, not for the oldest, if the limit was lowered', () => {
    const state = {
      accepted: false,
      count: 150,
      oldestAt: NOON - 59_000,
      blockingAt: NOON - 10_000,
      now: NOON,
    };

    expect(judge(state, window)).to.include({ resetAt: NOON + 1000, retryAfterMs: 50_000 });
  });
});

function expectAtMost(limit: number, lengthMs: number, accepted: readonly number[]): void {
  for (const from of accepted) {
    const inStretch = accepted.filter((time) => time >= from && time < from + lengthMs);
    expect(inStretch.length).to.be.at.most(limit);
  }
}

function expectThroughAfterWaiting(lengthMs: number, requests: [limit: number, move: number][]): void {
  const times: number[] = [];
  let clock = NOON;
  for (const [limit, move] of requests) {
    clock += move;
    const window = { limit, lengthMs };
    const verdict = judge(recordRequest(times, window, clock), window);
    if (verdict.admitted) continue;
    expect(verdict.retryAfterMs).to.be.at.least(1);
    const acceptedAfter = (wait: number) => recordRequest([...times], window, clock + wait).accepted;
    expect(acceptedAfter(verdict.retryAfterMs - 1)).to.equal(false);
    expect(acceptedAfter(verdict.retryAfterMs)).to.equal(true);
  }
}
