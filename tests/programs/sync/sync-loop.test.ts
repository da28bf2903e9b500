import { expect } from 'chai';
import sinon from 'sinon';
import { MemoryMetrics } from '../../../src/contracts/fakes/memory-metrics.js';
import { LeadershipLost, SourceTooSlow } from '../../../src/domain/errors.js';
import { SyncLoop } from '../../../src/programs/sync/sync-loop.js';
import type { SyncSession } from '../../../src/programs/sync/sync-session.js';
import { RecordingLog } from '../../support/programs/recording-log.js';

/** The maximum of the configuration. */
const MAX_POLL_MS = 60_000;

interface Parts {
  readonly worker: {
    readonly step: () => Promise<boolean>;
    readonly reconcileNextStep: () => Promise<number>;
    readonly beat?: () => Promise<void>;
  };
  readonly hasNew?: () => Promise<boolean>;
  readonly checkCapture?: () => Promise<void>;
  readonly recognize?: () => Promise<void>;
  readonly claim?: () => Promise<number | null>;
}

/** The session of a worker that leads, on valid databases. */
function sessionWith({
  worker,
  hasNew = async () => false,
  checkCapture = async () => {},
  recognize = async () => {},
  claim = async () => 1,
}: Parts): SyncSession {
  return {
    ports: { leadership: { claim }, changeFeed: { hasNew } },
    worker: { beat: async () => {}, ...worker },
    checkCapture,
    requireTables: async () => {},
    requireKnownDashboard: async () => {},
    recognize,
    close: async () => {},
  } as unknown as SyncSession;
}

describe('SyncLoop', () => {
  let clock: sinon.SinonFakeTimers;

  afterEach(() => clock?.restore());

  it('runs the check even if there is always something else to do, and counts its repairs', async () => {
    let [checks, watches] = [0, 0];
    const session = sessionWith({
      worker: {
        step: async () => true,
        reconcileNextStep: async () => ++checks,
      },
      checkCapture: async () => void watches++,
    });
    const [metrics, log] = [new MemoryMetrics(), new RecordingLog()];
    const loop = new SyncLoop(() => session, 10, metrics, log);
    // A step that never waits would not let the timers of this test run.
    await loop.runUntil(() => new Promise((resolve) => setImmediate(() => resolve(checks === 2))));

    expect(metrics.of('row-repaired')).to.equal(3);
    expect(watches).to.equal(1);
  });

  it('looks for changes three times in SYNC_POLL_MS, even if a check takes a part of that time', async () => {
    const [syncPollMs, checkMs, seconds] = [300, 60, 10];
    clock = sinon.useFakeTimers();
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
    const loop = new SyncLoop(() => session, syncPollMs, new MemoryMetrics(), new RecordingLog());
    loop.start();
    await clock.tickAsync(seconds * 1000);
    await loop.stop();

    const pauses = askedAt.slice(1).map((at, n) => at - (askedAt[n] ?? 0));
    expect(Math.max(...pauses)).to.be.within(99, 101);
    expect(checks).to.be.above(3);
  });

  it('beats at least once a second, however long SYNC_POLL_MS is', async () => {
    clock = sinon.useFakeTimers();
    const beatAt: number[] = [];
    let [watches, recognitions] = [0, 0];
    const session = sessionWith({
      worker: {
        step: async () => false,
        reconcileNextStep: async () => 0,
        beat: async () => void beatAt.push(performance.now()),
      },
      checkCapture: async () => void watches++,
      recognize: async () => void recognitions++,
    });
    const loop = new SyncLoop(() => session, MAX_POLL_MS, new MemoryMetrics(), new RecordingLog());
    loop.start();
    await clock.tickAsync(MAX_POLL_MS);
    await loop.stop();

    const silences = [...beatAt, MAX_POLL_MS].map((at, n) => at - (beatAt[n - 1] ?? 0));
    expect(Math.max(...silences)).to.be.at.most(1_000);
    expect(watches).to.be.within(5, 7);
    expect(recognitions).to.equal(watches);
  });

  it('retries what is too slow less and less often, and logs it at growing intervals', async () => {
    clock = sinon.useFakeTimers();
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
    const loop = new SyncLoop(() => session, 10, new MemoryMetrics(), log);
    loop.start();
    await clock.tickAsync(300_000);
    const errors = log.lines.filter(({ level }) => level === 'error');
    expect(attempts).to.be.within(10, 15);
    expect(errors).to.have.length.within(4, 6);
    expect(loop.failureReason).to.match(/^the last \d+ sessions failed: the select takes too long$/);
    isSlow = false;
    await clock.tickAsync(61_000);
    expect(loop.failureReason).to.equal(null);
    await loop.stop();
  });

  it('pauses before it leads again, so that a server that ends each connection is not overloaded', async () => {
    clock = sinon.useFakeTimers();
    const ledAt: number[] = [];
    const step = async () => {
      if (ledAt.push(performance.now()) <= 3) throw new LeadershipLost(null);
      return false;
    };
    const session = sessionWith({ worker: { step, reconcileNextStep: async () => 0 } });
    const loop = new SyncLoop(() => session, 10, new MemoryMetrics(), new RecordingLog());
    const run = loop.runUntil(async () => ledAt.length > 3);
    await clock.tickAsync(1_000);
    await run;

    const pauses = ledAt.slice(1, 4).map((time, index) => time - (ledAt[index] ?? 0));
    expect(pauses).to.deep.equal([100, 100, 100]);
  });

  it('logs the first failure as a warning, and a lasting one as an error each minute', async () => {
    clock = sinon.useFakeTimers();
    const log = new RecordingLog();
    const step = async () => {
      throw new Error('unavailable');
    };
    const session = sessionWith({ worker: { step, reconcileNextStep: async () => 0 } });
    const loop = new SyncLoop(() => session, 10, new MemoryMetrics(), log);
    loop.start();
    await clock.tickAsync(200_000);
    await loop.stop();
    const reported = log.lines.filter(({ level }) => level === 'warn' || level === 'error');
    expect(reported.map(({ level }) => level)).to.eql(['warn', 'error', 'error', 'error']);
  });

  describe('while its sessions fail', () => {
    const LOCKED = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
    const REASON = '55P03: canceling statement due to lock timeout';
    let log: RecordingLog;
    let metrics: MemoryMetrics;
    /** What fails: a step, or only the check that comes a second later. */
    let failing: 'step' | 'check' | null;
    let isFree: boolean;
    let loop: SyncLoop;

    beforeEach(() => {
      clock = sinon.useFakeTimers();
      [log, metrics, failing, isFree] = [new RecordingLog(), new MemoryMetrics(), 'step', true];
      const failIf = (what: typeof failing) => {
        if (failing === what) throw LOCKED;
      };
      const session = sessionWith({
        worker: {
          step: async () => {
            failIf('step');
            return false;
          },
          reconcileNextStep: async () => {
            failIf('check');
            return 0;
          },
        },
        claim: async () => (isFree ? 1 : null),
      });
      loop = new SyncLoop(() => session, 10, metrics, log);
      loop.start();
    });
    afterEach(async () => {
      const stopped = loop.stop();
      await clock.runAllAsync();
      await stopped;
    });

    const logged = (message: string) => log.lines.filter((line) => line.message === message);
    const linesOfLeader = () => logged('syncing: this worker leads').map(({ level }) => level);

    it('reports the reason from the second failure in a row, until one works', async () => {
      await clock.tickAsync(50);
      expect([metrics.of('session-failed'), loop.failureReason]).to.eql([1, null]);
      await clock.tickAsync(100);
      expect(loop.failureReason).to.equal(`the last 2 sessions failed: ${REASON}`);
      expect(metrics.of('session-failed')).to.equal(2);
      failing = null;
      await clock.tickAsync(1_500);
      expect(loop.failureReason).to.equal(null);
      expect(logged('syncing: works again').map(({ details }) => details)).to.eql([
        { failures: 2, leads: true },
      ]);
    });

    it('reports it even if each session works until its check', async () => {
      failing = 'check';
      await clock.tickAsync(10_000);
      expect(loop.failureReason).to.match(/^the last \d+ sessions failed: 55P03/);
      expect(logged('syncing: works again')).to.eql([]);
    });

    it('reports it even if another worker leads in between, and no longer once that one keeps the lead', async () => {
      await clock.tickAsync(1_000);
      isFree = false;
      await clock.tickAsync(5_000);
      expect(loop.failureReason).to.include(REASON);
      await clock.tickAsync(10_000);
      expect(loop.failureReason).to.equal(null);
    });

    it('logs once that it leads, and the reason first', async () => {
      await clock.tickAsync(20_000);
      const [first, ...retries] = linesOfLeader();
      expect(first).to.equal('info');
      expect(new Set(retries)).to.eql(new Set(['debug']));
      const [failure] = logged('syncing: failed and is retried');
      expect(Object.entries(failure?.details ?? {})[0]).to.eql(['reason', REASON]);
    });

    it('logs again that it leads if another worker led in the meantime', async () => {
      await clock.tickAsync(50);
      failing = null;
      isFree = false;
      await clock.tickAsync(20_000);
      isFree = true;
      await clock.tickAsync(5_000);
      expect(linesOfLeader()).to.eql(['info', 'info']);
    });
  });
});
