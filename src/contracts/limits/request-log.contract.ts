import { expect } from 'chai';
import fc from 'fast-check';
import type { Window, WindowState } from '../../domain/model/window.js';
import { recordRequest } from '../../domain/policies/sliding-window.js';
import type { RequestLog } from '../../domain/ports/answering/request-log.js';
import type { Runner } from '../runner.js';
import { type AdapterClass, itIsTestedItself } from '../support/adapter-class.js';
import { capabilityOf, itNeeding, type Lacking } from '../support/capabilities.js';
import { freshId } from '../support/fresh-id.js';
import { TROUBLESOME_TEXTS } from '../support/troublesome-values.js';
import { wait } from '../support/wait.js';
import { type LoggedKey, newKey } from './request-log.keys.js';
import type { RequestLogSubject } from './request-log.subject.js';

const MINUTE = 60_000;

export function requestLogContract(
  runner: Runner,
  Adapter: AdapterClass<RequestLog>,
  makeSubject: () => Promise<RequestLogSubject>,
  lacking: Lacking<'advance'> = {},
): void {
  const { describe, it, beforeEach } = runner;
  const itOnMovedClock = itNeeding(it, 'advance', lacking);
  describe(`${Adapter.name}, a request log,`, () => {
    let log: RequestLog;
    let advance: ((millis: number) => Promise<void>) | null;
    let key: LoggedKey;

    beforeEach(async () => {
      const made = await makeSubject();
      log = made.subject;
      advance = capabilityOf(made, 'advance', lacking);
      key = newKey();
    });

    const record = async (of: LoggedKey, window: Window): Promise<WindowState> => {
      const state = await log.record(of, window);
      if (state === null) throw new Error('The log was not reached');
      return state;
    };
    const recordTimes = async (times: number, window: Window, of = key) => {
      const states: WindowState[] = [];
      for (let n = 0; n < times; n++) states.push(await record(of, window));
      return states;
    };
    itIsTestedItself(runner, Adapter, () => log);

    it('accepts the first request of a key, which is the oldest and the only one', async () => {
      const { now, ...state } = await record(key, { limit: 3, lengthMs: MINUTE });
      expect(now).to.satisfy(Number.isSafeInteger);
      expect(state).to.deep.equal({ accepted: true, count: 1, oldestAt: now, blockingAt: now });
    });

    it('accepts exactly as many requests as the limit, in any milliseconds', async () => {
      const states = await recordTimes(7, { limit: 5, lengthMs: MINUTE });
      expect(states.map(({ accepted }) => accepted)).to.deep.equal([
        true,
        true,
        true,
        true,
        true,
        false,
        false,
      ]);
      expect(states.map(({ count }) => count)).to.deep.equal([1, 2, 3, 4, 5, 5, 5]);
      // A log may have several clocks, which only agree if the test moves them.
      for (const { oldestAt } of states)
        expect(oldestAt).to.be.closeTo(states[0]?.now ?? 0, advance === null ? 5_000 : 0);
    });

    it('accepts exactly as many concurrent requests as the limit', async () => {
      const window = { limit: 20, lengthMs: MINUTE };
      const states = await Promise.all(Array.from({ length: 60 }, () => record(key, window)));
      const counts = (accepted: boolean) =>
        states.filter((state) => state.accepted === accepted).map(({ count }) => count);
      expect(counts(true).toSorted((a, b) => a - b)).to.deep.equal(
        Array.from({ length: 20 }, (_, n) => n + 1),
      );
      expect(counts(false)).to.deep.equal(Array.from({ length: 40 }, () => 20));
    });

    it('counts each key separately, also for concurrent requests', async () => {
      const ends = ['', ' ', ':', '}', '{', '\u{1f511}', '%'];
      const { id, organizationId } = key;
      const keys = [
        ...ends.map((end) => ({ id: id + end, organizationId })),
        // Characters that an adapter may use as syntax may be part of either.
        ...ends.slice(1).map((end) => ({ id: `${end}${freshId('key')}`, organizationId })),
        ...ends.slice(1).map((end) => ({ id: freshId('key'), organizationId: organizationId + end })),
        ...TROUBLESOME_TEXTS.map((text) => ({ id: freshId('key'), organizationId: text })),
      ];
      const window = { limit: 2, lengthMs: MINUTE };
      const callers = keys.flatMap((key) => [key, key, key]);
      const states = await Promise.all(callers.map((caller) => record(caller, window)));
      for (const key of keys) {
        const accepted = states.filter((state, index) => callers[index] === key && state.accepted);
        expect(accepted.map(({ count }) => count).toSorted(), JSON.stringify(key)).to.deep.equal([1, 2]);
      }
    });

    it('counts each key exactly when many keys of many organizations send requests at the same time', async () => {
      const organizations = Array.from({ length: 40 }, () => freshId('org'));
      const keys = organizations.flatMap((organizationId) =>
        Array.from({ length: 5 }, (_, n) => ({ id: freshId('key'), organizationId, limit: n + 1 })),
      );
      // Interleaved, so that the requests of one key are not adjacent.
      const callers = Array.from({ length: 8 }, () => keys).flat();
      const states = await Promise.all(
        callers.map((caller) => record(caller, { limit: caller.limit, lengthMs: MINUTE })),
      );
      for (const key of keys) {
        const counts = states.filter((_, index) => callers[index] === key).map(({ count }) => count);
        const expected = Array.from({ length: 8 }, (_, n) => Math.min(n + 1, key.limit));
        expect(counts, JSON.stringify(key)).to.deep.equal(expected);
      }
      expect(states.filter(({ accepted }) => accepted)).to.have.length(40 * (1 + 2 + 3 + 4 + 5));
    });

    it('keeps the requests of one key when another key has a shorter window', async () => {
      const [short, long] = [
        { limit: 1, lengthMs: 50 },
        { limit: 1, lengthMs: MINUTE },
      ];
      await record(newKey(), short);
      await record(key, long);
      await (advance ?? wait)(60);
      await record(newKey(), short);
      expect(await record(key, long)).to.include({ accepted: false, count: 1 });
    });

    itOnMovedClock(
      'lets a request leave the window when its length has passed, to the millisecond',
      async () => {
        const window = { limit: 1, lengthMs: MINUTE };
        const { now } = await record(key, window);
        await advance?.(MINUTE - 1);
        const full = { accepted: false, count: 1, oldestAt: now, blockingAt: now };
        expect(await record(key, window)).to.include(full);
        await advance?.(1);
        expect(await record(key, window)).to.include({
          accepted: true,
          count: 1,
          oldestAt: now + MINUTE,
        });
      },
    );

    itOnMovedClock(
      'stands still while its clock is back by less than a window, and then starts again',
      async () => {
        const window = { limit: 2, lengthMs: MINUTE };
        const { now } = await record(key, window);
        await advance?.(1 - MINUTE);
        const back = { oldestAt: now, blockingAt: now, now: now + 1 - MINUTE };
        expect(await record(key, window)).to.include({ ...back, accepted: true, count: 2 });
        expect(await record(key, window)).to.include({ ...back, accepted: false, count: 2 });
        await advance?.(MINUTE - 1);
        expect(await record(key, window)).to.include({ accepted: false, count: 2, now });
        await advance?.(-MINUTE);
        const second = await record(key, window);
        expect(second).to.include({ accepted: true, count: 1, now: now - MINUTE });
      },
    );

    it('returns what the sliding-window policy returns, for any key, limit and rate', async () => {
      const someRequest = fc.record({
        key: fc.constantFrom('a' as const, 'b' as const),
        limit: fc.integer({ min: 1, max: 4 }),
        pause: fc.oneof(fc.constant(0), fc.nat(MINUTE / 2), fc.constantFrom(MINUTE - 1, MINUTE, 3 * MINUTE)),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(someRequest, { maxLength: 30 }), async (requests) => {
          const expected = new PolicyByKey();
          const keys = { a: newKey(), b: newKey() };
          for (const { key: name, limit, pause } of requests) {
            if (advance !== null) await advance(pause);
            const window = { limit, lengthMs: MINUTE };
            const state = await record(keys[name], window);
            const policy = expected.record(name, window, state.now);
            // A log may have several clocks, which only agree if the test moves them.
            if (advance !== null) expect(state).to.deep.equal(policy);
            else expect(state).to.include({ accepted: policy.accepted, count: policy.count });
          }
        }),
        { numRuns: 40 },
      );
    });

    it('accepts no more than the limit in any window, and what has room in it, in real time', async () => {
      const lengthMs = advance === null ? 200 : MINUTE;
      const window = { limit: 3, lengthMs };
      const accepted: WindowState[] = [];
      for (let n = 0; n < 40; n++) {
        const state = await record(key, window);
        if (state.accepted) accepted.push(state);
        else expect(state.blockingAt + lengthMs - state.now).to.be.within(1, lengthMs);
        await (advance ?? wait)(lengthMs / 10);
      }
      // Four windows have passed. A single one would have accepted only three.
      expect(accepted.length).to.be.greaterThan(3);
      for (const [index, { now }] of accepted.slice(3).entries()) {
        expect(now - (accepted[index]?.now ?? 0)).to.be.at.least(lengthMs);
      }
    });
  });
}

/** The result of the policy for a given time. */
class PolicyByKey {
  readonly #timesByKey = new Map<string, number[]>();

  record(key: string, window: Window, now: number): WindowState {
    const times = this.#timesByKey.get(key) ?? [];
    this.#timesByKey.set(key, times);
    return recordRequest(times, window, now);
  }
}
