import { expect } from 'chai';
import { ProcessMetrics } from '../../../src/adapters/system/process-metrics.js';
import { SourceTooSlow } from '../../../src/domain/errors.js';
import { SessionFailures } from '../../../src/programs/sync/session-failures.js';
import { RecordingLog } from '../../support/programs/recording-log.js';

describe('SessionFailures', () => {
  let failures: SessionFailures;

  const backoffsAfter = (errors: readonly Error[]) =>
    errors.map((error) => {
      failures.add(error);
      return failures.backoffMs;
    });
  const outage = (count: number) => Array.from({ length: count }, () => new Error('unavailable'));

  beforeEach(() => {
    failures = new SessionFailures(new ProcessMetrics(), new RecordingLog());
  });

  it('doubles the pause up to a second, and begins again after a session has worked', () => {
    expect(backoffsAfter(outage(6))).to.eql([100, 200, 400, 800, 1_000, 1_000]);
    failures.reset(true);
    expect(backoffsAfter(outage(2))).to.eql([100, 200]);
  });

  it('doubles it further if the dashboard is too slow, and not at once after a long outage', () => {
    backoffsAfter(outage(10));
    const slow = Array.from({ length: 7 }, () => new SourceTooSlow('the select takes too long'));
    expect(backoffsAfter(slow)).to.eql([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(backoffsAfter(outage(1))).to.eql([1_000]);
  });
});
