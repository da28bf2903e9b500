import { setTimeout as pause } from 'node:timers/promises';
import { LEADER_TIMEOUT_MS } from '../../composition/leader-timeout.js';
import { LeadershipLost, SourceTooSlow } from '../../domain/errors.js';
import type { Log } from '../../domain/ports/log.js';
import type { Metrics } from '../../domain/ports/metrics.js';
import type { SyncSession } from './sync-session.js';

const CHECK_EVERY_MS = 1_000;
const WATCH_CAPTURE_EVERY_MS = 10_000;
/** The number of queries for changes per poll interval. */
const CHECKS_PER_POLL = 3;
const MIN_PAUSE_MS = 10;
const POLLS_WITHOUT_WORK = 5;
/**
 * An upper limit for any poll interval: the leader has to write, or it is considered frozen, and a standby has to replace a lost leader.
 */
const MAX_WAIT_MS = LEADER_TIMEOUT_MS / 2;
const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 1_000;
/** For errors that load the dashboard at each attempt and do not resolve by themselves. */
const MAX_BACKOFF_IF_SLOW_MS = 60_000;
const LOGGED_AGAIN_AFTER_MS = 60_000;

/** Claims leadership whenever no other worker leads, and works while it leads. */
export class SyncLoop {
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #backoffMs = MIN_BACKOFF_MS;
  #leads = false;
  #loggedAt = Number.NEGATIVE_INFINITY;
  #tooSlow: SourceTooSlow | null = null;

  constructor(
    private readonly open: () => SyncSession,
    private readonly pollMs: number,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  get leads(): boolean {
    return this.#leads;
  }

  /** Why the worker is waiting, if its last attempt took too long. Otherwise null. */
  get tooSlow(): SourceTooSlow | null {
    return this.#tooSlow;
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
      }
    }
  }

  async #runUntilStopped(): Promise<void> {
    while (!this.#isStopping) {
      try {
        await this.#runSession(async () => this.#isStopping);
      } catch (error) {
        if (this.#isStopping) return;
        this.#tooSlow = error instanceof SourceTooSlow ? error : null;
        this.#logFailure(error);
        await this.#wait(this.#backoffMs);
        const maxBackoffMs = this.#tooSlow === null ? MAX_BACKOFF_MS : MAX_BACKOFF_IF_SLOW_MS;
        this.#backoffMs = Math.min(this.#backoffMs * 2, maxBackoffMs);
      }
    }
  }

  /** Logs the first error, and a persistent one once a minute, so that operators see it even if they missed the first. */
  #logFailure(error: unknown): void {
    const isFirst = this.#backoffMs === MIN_BACKOFF_MS;
    const isDue = performance.now() - this.#loggedAt >= LOGGED_AGAIN_AFTER_MS;
    const level = isFirst && this.#tooSlow === null ? 'warn' : isFirst || isDue ? 'error' : 'debug';
    if (level !== 'debug') this.#loggedAt = performance.now();
    this.log[level]('syncing: failed and is retried', { error });
  }

  async #runSession(isDone: (session: SyncSession) => Promise<boolean>): Promise<void> {
    const session = this.open();
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
          if (epoch !== null) await withTimeLimit(session.recognise(epoch));
          this.#leads = epoch !== null;
          if (epoch !== null) this.log.info('syncing: this worker leads', { epoch });
        }
        // Before anything is read: a replaced table may not be readable.
        if (epoch !== null && performance.now() - watchedAt >= WATCH_CAPTURE_EVERY_MS) {
          await withTimeLimit(session.capture.run(epoch));
          watchedAt = performance.now();
        }
        if (await withTimeLimit(isDone(session))) return;
        const steppedAt = performance.now();
        const isBusy = epoch !== null && (await withTimeLimit(session.worker.step(epoch)));
        this.#resetBackoff();
        // Also if there is always other work. Otherwise it would never run.
        if (epoch !== null && performance.now() - checkedAt >= CHECK_EVERY_MS) {
          await this.#check(session, epoch);
          checkedAt = performance.now();
        }
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

  #resetBackoff(): void {
    if (this.#backoffMs > MIN_BACKOFF_MS) this.log.info('syncing: works again');
    this.#backoffMs = MIN_BACKOFF_MS;
    this.#tooSlow = null;
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /**
   * Waits until there are changes since `steppedAt`. Other jobs are looked for less often, because no edit depends on them. A check in
   * between does not delay the next query.
   */
  async #waitForChanges({ ports }: SyncSession, isLeading: boolean, steppedAt: number): Promise<void> {
    if (!isLeading) return this.#wait(Math.min(this.pollMs, MAX_WAIT_MS));
    const waitMs = Math.min(POLLS_WITHOUT_WORK * this.pollMs, MAX_WAIT_MS);
    const pauseMs = Math.min(Math.max(MIN_PAUSE_MS, this.pollMs / CHECKS_PER_POLL), waitMs);
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
async function withTimeLimit<Result>(answer: Promise<Result>): Promise<Result> {
  const patience = new AbortController();
  const late = pause(LEADER_TIMEOUT_MS, undefined, { signal: patience.signal }).then(() => {
    throw new Error(`A database did not answer within ${LEADER_TIMEOUT_MS} ms`);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    patience.abort();
    late.catch(() => {});
  }
}
