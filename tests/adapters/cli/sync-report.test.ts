import { expect } from 'chai';
import { parse } from 'yaml';
import { describeSync } from '../../../src/adapters/cli/sync-report.js';

const rows = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ kind: 'blogs', id: `${n}`, reason: 'a reason\nof two lines' }));

describe('the status of the sync', () => {
  it('has all parts, under their names', () => {
    const report = { dashboard: 'ok', queue: { length: 2, lagMs: 3_000 }, unshown: rows(20), jobs: [] };
    expect(parse(describeSync(report))).to.deep.equal(report);
  });

  it('has the first twenty rows of a long list, and how to see the rest', () => {
    const text = describeSync({ unshown: rows(23) });
    expect(parse(text)).to.deep.equal({ unshown: rows(20) });
    expect(text).to.match(/^# 3 more of unshown: --json prints all$/m);
  });

  it('has no control character of a row', () => {
    expect(describeSync({ unshown: [{ id: '\x1b[2J\r' }] })).to.match(/^[\n -~]*$/);
  });
});
