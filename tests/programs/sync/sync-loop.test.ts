import { expect } from 'chai';
import sinon from 'sinon';
import { ProcessMetrics } from '../../../src/adapters/system/process-metrics.js';
import { LEADER_TIMEOUT_MS } from '../../../src/composition/leader-timeout.js';
import { SourceTooSlow } from '../../../src/domain/errors.js';
import { SyncLoop } from '../../../src/programs/sync/sync-loop.js';
import type { SyncSession } from '../../../src/programs/sync/sync-session.js';
import { RecordingLog } from '../../support/programs/recording-log.js';

/** The maximum of the configuration. */
const MAX_POLL_MS = 60_000;

interface Parts {
  readonly worker: {
    readonly step: () => Promise<boolean>;
    readonly reconcileNextStep: () => Promise<number>;
  };
  readonly hasNew?: () => Promise<boolean>;
  readonly capture?: { readonly run: () => Promise<void> };
}

/** The session of a worker that leads, on valid databases. */
function sessionWith({
  worker,
  hasNew = async () => false,
  capture = { run: async () => {} },
}: Parts): SyncSession {
  return {
    ports: { leadership: { claim: async () => 1 }, feed: { hasNew } },
    worker,
    capture,
    requireTables: async () => {},
    requireKnownDashboard: async () => {},
    recognise: async () => {},
    close: async () => {},
  } as unknown as SyncSession;
}

describe('SyncLoop', () => {
  it('runs the check even if there is always something else to do, and counts its repairs', async () => {
    let [checks, watches] = [0, 0];
    const session = sessionWith({
      worker: {
        step: async () => true,
        reconcileNextStep: async () => ++checks,
      },
      capture: { run: async () => void watches++ },
    });
    const [metrics, log] = [new ProcessMetrics(), new RecordingLog()];
    const loop = new SyncLoop(() => session, 10, metrics, log);
    // A step that never waits would not let the timers of this test run.
    await loop.runUntil(() => new Promise((resolve) => setImmediate(() => resolve(checks === 2))));

    expect(metrics.of('row-repaired')).to.equal(3);
    expect(watches).to.equal(1);
  });

  it('looks for changes three times in SYNC_POLL_MS, even if a check takes a part of that time', async () => {
    const [pollMs, checkMs, seconds] = [300, 60, 10];
    const clock = sinon.useFakeTimers();
    try {
      const askedAt: number[] = [];
      let checks = 0;
      const ask = async () => {
        askedAt.push(performance.now());
        return false;
      };
      const session = sessionWith({
        hasNew: ask,
        worker: {
          step: ask,
          reconcileNextStep: async () => {
            checks++;
            await new Promise((resolve) => setTimeout(resolve, checkMs));
            return 0;
          },
        },
      });
      const loop = new SyncLoop(() => session, pollMs, new ProcessMetrics(), new RecordingLog());
      loop.start();
      await clock.tickAsync(seconds * 1000);
      await loop.stop();

      const pauses = askedAt.slice(1).map((at, n) => at - (askedAt[n] ?? 0));
      expect(Math.max(...pauses)).to.be.within(99, 101);
      expect(checks).to.be.above(3);
    } finally {
      clock.restore();
    }
  });

  it('never waits so long that a leader would count as frozen, however long SYNC_POLL_MS is', async () => {
    const clock = sinon.useFakeTimers();
    try {
      const checkedAt: number[] = [];
      const session = sessionWith({
        worker: {
          step: async () => false,
          reconcileNextStep: async () => {
            checkedAt.push(performance.now());
            return 0;
          },
        },
      });
      const loop = new SyncLoop(() => session, MAX_POLL_MS, new ProcessMetrics(), new RecordingLog());
      loop.start();
      await clock.tickAsync(MAX_POLL_MS);
      await loop.stop();

      const silences = [...checkedAt, MAX_POLL_MS].map((at, n) => at - (checkedAt[n - 1] ?? 0));
      expect(Math.max(...silences)).to.be.lessThan(LEADER_TIMEOUT_MS);
    } finally {
      clock.restore();
    }
  });

  it('retries what is too slow less and less often, and logs an error each minute', async () => {
    const clock = sinon.useFakeTimers();
    try {
      const log = new RecordingLog();
      let isSlow = true;
      let attempts = 0;
      const session = sessionWith({
        worker: {
          step: async () => {
            attempts++;
            if (isSlow) throw new SourceTooSlow('the select takes too long');
            return false;
          },
          reconcileNextStep: async () => 0,
        },
      });
      const loop = new SyncLoop(() => session, 10, new ProcessMetrics(), log);
      loop.start();
      await clock.tickAsync(300_000);
      const errors = log.lines.filter(({ level }) => level === 'error');
      expect(attempts).to.be.within(10, 15);
      expect(errors).to.have.length.within(4, 6);
      expect(loop.tooSlow?.message).to.equal('the select takes too long');
      isSlow = false;
      await clock.tickAsync(61_000);
      expect(loop.tooSlow).to.equal(null);
      await loop.stop();
    } finally {
      clock.restore();
    }
  });

  it('logs a lasting failure as an error each minute', async () => {
    const clock = sinon.useFakeTimers();
    try {
      const log = new RecordingLog();
      const step = async () => {
        throw new Error('unavailable');
      };
      const session = sessionWith({ worker: { step, reconcileNextStep: async () => 0 } });
      const loop = new SyncLoop(() => session, 10, new ProcessMetrics(), log);
      loop.start();
      await clock.tickAsync(200_000);
      await loop.stop();
      const reported = log.lines.filter(({ level }) => level === 'warn' || level === 'error');
      expect(reported.map(({ level }) => level)).to.eql(['warn', 'error', 'error', 'error']);
      expect(loop.tooSlow).to.equal(null);
    } finally {
      clock.restore();
    }
  });
});
