import { expect } from 'chai';
import { judge } from '../../../src/domain/policies/sliding-window.js';

const NOW = Date.UTC(2026, 0, 15, 12);
const window = { limit: 100, lengthMs: 60_000 };

describe('judge', () => {
  it('admits an accepted request and returns how many requests remain', () => {
    const first = { accepted: true, count: 1, oldestAt: NOW, blockingAt: NOW, now: NOW };

    expect(judge(first, window)).to.eql({ admitted: true, remaining: 99, resetMs: 60_000 });
  });

  it('returns that nothing remains for the last accepted request', () => {
    const last = { accepted: true, count: 100, oldestAt: NOW - 1000, blockingAt: NOW - 1000, now: NOW };

    expect(judge(last, window)).to.eql({ admitted: true, remaining: 0, resetMs: 59_000 });
  });

  it('refuses a rejected request until the oldest request leaves the window', () => {
    const state = { accepted: false, count: 100, oldestAt: NOW - 59_000, blockingAt: NOW - 59_000, now: NOW };

    expect(judge(state, window)).to.eql({
      admitted: false,
      remaining: 0,
      resetMs: 1000,
      retryAfterMs: 1000,
    });
  });

  it('requires a wait of at least a millisecond', () => {
    const oldestAt = NOW - 59_999;
    const verdict = judge({ accepted: false, count: 100, oldestAt, blockingAt: oldestAt, now: NOW }, window);

    expect(verdict).to.include({ admitted: false, retryAfterMs: 1 });
  });

  it('requires a wait for the blocking request, not for the oldest, if the limit was lowered', () => {
    const state = { accepted: false, count: 150, oldestAt: NOW - 59_000, blockingAt: NOW - 10_000, now: NOW };

    expect(judge(state, window)).to.include({ resetMs: 1000, retryAfterMs: 50_000 });
  });
});
