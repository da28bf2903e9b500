import { setTimeout as pause } from 'node:timers/promises';
import { LEADER_TIMEOUT_MS } from '../../composition/leader-timeout.js';
import { LeadershipLost } from '../../domain/errors.js';
import type { Log } from '../../domain/ports/log.js';
import type { Metrics } from '../../domain/ports/metrics.js';
import { SessionFailures } from './session-failures.js';
import type { SyncSession } from './sync-session.js';

const CHECK_EVERY_MS = 1_000;
const WATCH_CAPTURE_EVERY_MS = 10_000;
/** The number of queries for changes per poll interval. */
const QUERIES_PER_POLL = 3;
const MIN_PAUSE_MS = 10;
/** A server that ends each connection would otherwise be sent requests without a pause. */
const LEADERSHIP_LOST_PAUSE_MS = 100;
const POLLS_PER_JOB_QUERY = 5;
/**
 * An upper limit for any poll interval: the leader has to write, or it is considered frozen, and a standby has to replace a lost leader.
 */
const MAX_WAIT_MS = LEADER_TIMEOUT_MS / 2;

/** Claims leadership whenever no other worker leads, and works while it leads. */
export class SyncLoop {
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  readonly #failures: SessionFailures;
  #leads = false;
  /** Whether it was logged that this worker leads. If sessions keep failing, each new one leads again, and is not logged. */
  #isLeaderLogged = false;

  constructor(
    private readonly open: () => SyncSession,
    private readonly syncPollMs: number,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {
    this.#failures = new SessionFailures(metrics, log);
  }

  get leads(): boolean {
    return this.#leads;
  }

  /** Why changes wait. Null: the sessions do not fail. */
  get failureReason(): string | null {
    return this.#failures.reason;
  }

  /** Runs until it is stopped. Retries after every failure, because an unavailable server may recover. */
  start(): void {
    this.#running = this.#runUntilStopped();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Runs until the condition is met, by this worker or another one. Errors are passed on. */
  async runUntil(isDone: (session: SyncSession) => Promise<boolean>): Promise<void> {
    for (;;) {
      try {
        return await this.#runSession(isDone);
      } catch (error) {
        if (!(error instanceof LeadershipLost)) throw error;
        await this.#wait(LEADERSHIP_LOST_PAUSE_MS);
      }
    }
  }

  async #runUntilStopped(): Promise<void> {
    while (!this.#isStopping) {
      try {
        await this.#runSession(async () => this.#isStopping);
      } catch (error) {
        if (this.#isStopping) return;
        this.#failures.add(error);
        await this.#wait(this.#failures.backoffMs);
      }
    }
  }

  async #runSession(isDone: (session: SyncSession) => Promise<boolean>): Promise<void> {
    const session = this.open();
    const openedAt = performance.now();
    try {
      await withTimeLimit(session.requireTables());
      await withTimeLimit(session.requireKnownDashboard());
      let epoch: number | null = null;
      let checkedAt = performance.now();
      let watchedAt = Number.NEGATIVE_INFINITY;
      for (;;) {
        // Before any other query: after a failover, jobs have to be added first.
        if (epoch === null) {
          epoch = await withTimeLimit(session.ports.leadership.claim());
          if (epoch !== null) await withTimeLimit(session.recognize(epoch));
          this.#leads = epoch !== null;
          if (epoch !== null) this.#logLeader(epoch);
        }
        // Before anything is read: a replaced table may not be readable.
        if (epoch !== null && performance.now() - watchedAt >= WATCH_CAPTURE_EVERY_MS) {
          await withTimeLimit(session.capture.run(epoch));
          watchedAt = performance.now();
        }
        if (await withTimeLimit(isDone(session))) return;
        const steppedAt = performance.now();
        const isBusy = epoch !== null && (await withTimeLimit(session.worker.step(epoch)));
        // Also if there is always other work. Otherwise it would never run.
        if (epoch !== null && performance.now() - checkedAt >= CHECK_EVERY_MS) {
          await this.#check(session, epoch);
          checkedAt = performance.now();
          this.#resetFailures();
        }
        // A short time as standby proves nothing: if the sessions of all workers fail, each stands by while another one leads.
        if (epoch === null && performance.now() - openedAt >= LEADER_TIMEOUT_MS) this.#resetFailures();
        if (!isBusy) await this.#waitForChanges(session, epoch !== null, steppedAt);
      }
    } finally {
      this.#leads = false;
      await session.close();
    }
  }

  async #check(session: SyncSession, epoch: number): Promise<void> {
    const repaired = await withTimeLimit(session.worker.reconcileNextStep(epoch));
    if (repaired === 0) return;
    this.metrics.count('row-repaired', repaired);
    this.log.error('syncing: rows differed from the dashboard without a waiting change and were repaired', {
      repaired,
    });
  }

  #logLeader(epoch: number): void {
    this.log[this.#isLeaderLogged ? 'debug' : 'info']('syncing: this worker leads', { epoch });
    this.#isLeaderLogged = true;
  }

  #resetFailures(): void {
    this.#failures.reset(this.#leads);
    this.#isLeaderLogged = this.#leads;
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /**
   * Waits until there are changes since `steppedAt`. Other jobs are looked for less often, because no edit depends on them. A check in
   * between does not delay the next query.
   */
  async #waitForChanges({ ports }: SyncSession, isLeading: boolean, steppedAt: number): Promise<void> {
    if (!isLeading) return this.#wait(Math.min(this.syncPollMs, MAX_WAIT_MS));
    const waitMs = Math.min(POLLS_PER_JOB_QUERY * this.syncPollMs, MAX_WAIT_MS);
    const pauseMs = Math.min(Math.max(MIN_PAUSE_MS, this.syncPollMs / QUERIES_PER_POLL), waitMs);
    const until = performance.now() + waitMs;
    let polledAt = steppedAt;
    while (performance.now() < until && !this.#isStopping) {
      await this.#wait(Math.max(MIN_PAUSE_MS, polledAt + pauseMs - performance.now()));
      polledAt = performance.now();
      if (await withTimeLimit(ports.feed.hasNew())) return;
    }
  }

  /** Ends early when the loop is stopped. */
  async #wait(milliseconds: number): Promise<void> {
    await pause(milliseconds, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }
}

/** A server that does not respond within this time is considered unavailable. By then, another worker leads. */
async function withTimeLimit<Result>(result: Promise<Result>): Promise<Result> {
  const timer = new AbortController();
  const late = pause(LEADER_TIMEOUT_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`A database did not answer within ${LEADER_TIMEOUT_MS} ms`);
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    timer.abort();
    late.catch(() => {});
  }
}
