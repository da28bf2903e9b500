import { expect } from 'chai';
import { recordRequest } from '../../../src/domain/policies/sliding-window.js';

const window = { limit: 3, lengthMs: 1000 };

/** Records a request at each of these times, and returns which ones were accepted. */
function acceptedOf(times: number[], clock: readonly number[], { limit, lengthMs } = window): boolean[] {
  return clock.map((now) => recordRequest(times, { limit, lengthMs }, now).accepted);
}

describe('recordRequest', () => {
  it('accepts requests up to the limit and returns their count', () => {
    const times: number[] = [];

    const states = [5000, 5001, 5002].map((now) => recordRequest(times, window, now));

    expect(states.map(({ accepted, count, oldestAt }) => ({ accepted, count, oldestAt }))).to.eql([
      { accepted: true, count: 1, oldestAt: 5000 },
      { accepted: true, count: 2, oldestAt: 5000 },
      { accepted: true, count: 3, oldestAt: 5000 },
    ]);
  });

  it('keeps no trace of a rejected request', () => {
    const times = [5000, 5001, 5002];

    const state = recordRequest(times, window, 5003);

    expect(state).to.eql({ accepted: false, count: 3, oldestAt: 5000, blockingAt: 5000, now: 5003 });
    expect(times).to.eql([5000, 5001, 5002]);
  });

  it('counts each of many requests in one millisecond', () => {
    const times: number[] = [];

    expect(acceptedOf(times, [5000, 5000, 5000, 5000, 5000])).to.eql([true, true, true, false, false]);
    expect(times).to.eql([5000, 5000, 5000]);
  });

  it('counts a request for exactly the length of the window', () => {
    const times = [5000, 5001, 5002];

    expect(acceptedOf(times, [5999, 6000, 6000, 6001, 6002])).to.eql([false, true, false, true, true]);
  });

  it('slides: the whole window is never free again at once', () => {
    const clock = [5000, 5990, 5991, 6000, 6001, 6002, 6989, 6990];

    expect(acceptedOf([], clock)).to.eql([true, true, true, true, false, false, false, true]);
  });

  it('drops all requests that have left the window, however long ago', () => {
    const times = [1, 2, 3];

    const state = recordRequest(times, window, 9_000_000);

    expect(state).to.include({ accepted: true, count: 1, oldestAt: 9_000_000 });
    expect(times).to.eql([9_000_000]);
  });

  describe('when the clock steps back by less than a window', () => {
    it('stands still until the clock has caught up', () => {
      const times = [5000, 5500];

      expect(recordRequest(times, window, 5200).accepted).to.equal(true);
      expect(times).to.eql([5000, 5500, 5500]);
    });

    it('counts no request for less than the length of the window', () => {
      const times = [5500, 5500, 5500];

      expect(acceptedOf(times, [4501, 5000, 6000, 6499, 6500])).to.eql([false, false, false, false, true]);
    });
  });

  describe('when the clock steps back by a window or more', () => {
    it('starts again', () => {
      const times = [5500, 5500, 5500];

      const state = recordRequest(times, window, 4500);

      expect(state).to.include({ accepted: true, count: 1, oldestAt: 4500 });
      expect(times).to.eql([4500]);
    });
  });

  describe('when the limit changes', () => {
    it('accepts no more requests under a lower limit until enough have left the window', () => {
      const times = [5000, 5100, 5200];

      const state = recordRequest(times, { ...window, limit: 1 }, 5300);

      expect(state).to.include({ accepted: false, count: 3, oldestAt: 5000, blockingAt: 5200 });
      expect(acceptedOf(times, [6000, 6199, 6200], { ...window, limit: 1 })).to.eql([false, false, true]);
    });

    it('accepts more requests at once under a higher limit', () => {
      const times = [5000, 5100, 5200];

      expect(acceptedOf(times, [5300, 5300, 5300], { ...window, limit: 5 })).to.eql([true, true, false]);
    });
  });
});
