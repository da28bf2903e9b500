import { expect } from 'chai';
import { BatchSize } from '../../../src/application/sync/batch-size.js';

const MAX = 512;

describe('BatchSize', () => {
  let size: BatchSize;

  beforeEach(() => {
    size = new BatchSize();
  });

  /** The number of rows in each step, if a step takes so long. */
  const succeeding = (steps: number, takes: (rows: number) => number, targetMs: number, stepKind = 'kind') =>
    Array.from({ length: steps }, () => {
      const batch = size.begin(stepKind, MAX, targetMs);
      batch.succeeded(takes(batch.rows));
      return batch.rows;
    });
  /** As a step that is aborted, which reports nothing. */
  const aborted = (steps: number, stepKind = 'kind') =>
    Array.from({ length: steps }, () => size.begin(stepKind, MAX, 1_000).rows);
  /** The duration of a step on a machine that handles so many rows in a millisecond, plus 5 ms for each step. */
  const rowsAMillisecond = (rows: number) => (of: number) => 5 + of / rows;

  it('is the maximum while steps end within the target time', () => {
    expect(succeeding(3, rowsAMillisecond(4), 200)).to.eql([MAX, MAX, MAX]);
  });

  it('is as large as the target time allows after the previous step, and stays so', () => {
    expect(succeeding(5, rowsAMillisecond(4), 30)).to.eql([MAX, 64, 64, 64, 64]);
    expect(succeeding(3, rowsAMillisecond(100), 30)).to.eql([64, 128, 256]);
  });

  it('follows the target time at once if it is shorter, and by doubling if it is longer', () => {
    succeeding(1, rowsAMillisecond(4), 1_000);
    expect(succeeding(2, rowsAMillisecond(4), 30)).to.eql([64, 64]);
    expect(succeeding(5, rowsAMillisecond(4), 1_000)).to.eql([128, 256, MAX, MAX, MAX]);
  });

  it('has a minimum for the target time, however long a step takes', () => {
    expect(succeeding(3, () => 1_000, 30)).to.eql([MAX, 32, 32]);
  });

  it('is halved by each failure down to a single row, and doubled by each success', () => {
    expect(aborted(11)).to.eql([512, 256, 128, 64, 32, 16, 8, 4, 2, 1, 1]);
    expect(succeeding(11, () => 1, 1_000)).to.eql([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 512]);
  });

  it('is half of what is left of a failed step, until all of it has succeeded', () => {
    aborted(1);
    expect(succeeding(4, () => 1, 1_000)).to.eql([256, 128, 64, 32]);
    expect(succeeding(10, () => 1, 1_000)).to.eql([16, 8, 4, 2, 1, 1, 2, 4, 8, 16]);
  });

  it('is one row after a kind has failed, and the maximum as soon as that can be read', () => {
    aborted(3);
    size.begin('kind', MAX, 1_000).tryOne();
    expect(aborted(2)).to.eql([1, 1]);
    expect(succeeding(2, () => 500, 1_000)).to.eql([1, MAX]);
  });

  it('is half of what a failed step had', () => {
    size.begin('kind', MAX, 1_000).failed(6);
    expect(aborted(3)).to.eql([3, 1, 1]);
  });

  for (const position of [0, 1, 200, 511]) {
    it(`has a row alone that always fails after ten failures at most, at ${position} too`, () => {
      let failures = 0;
      let next = 0;
      for (let rows = 0; !(next === position && rows === 1); ) {
        const batch = size.begin('kind', MAX - next, 1_000);
        rows = Math.min(batch.rows, MAX - next);
        const fails = position >= next && position < next + rows;
        if (!fails) next += rows;
        if (!fails) batch.succeeded(1);
        else batch.failed(rows);
        if (fails) failures++;
      }
      expect(failures).to.be.at.most(10);
    });
  }

  it('is independent of other kinds of steps', () => {
    aborted(3, 'reconcile');
    expect(succeeding(2, () => 1, 1_000)).to.eql([MAX, MAX]);
    expect(aborted(1, 'reconcile')).to.eql([64]);
  });
});
