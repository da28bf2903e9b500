import { withTimeLimit } from '../../adapters/system/with-time-limit.js';
import { storable } from '../../application/sync/unshown-row.js';
import { LEADER_TIMEOUT_MS } from '../../composition/worker-parts.js';
import { LeadershipLost, SourceTooSlow } from '../../domain/errors.js';
import { reasonOf } from '../../domain/policies/reason-of.js';
import type { Log } from '../../domain/ports/system/log.js';
import type { Metrics } from '../../domain/ports/system/metrics.js';
import { Loop } from './loop.js';
import type { SyncSession } from './sync-session.js';

const RECONCILE_EVERY_MS = 1_000;
/** Also the longest wait of a leader, so that it beats at least once a second. */
const BEAT_EVERY_MS = 500;
const CHECK_DATABASES_EVERY_MS = 10_000;
/** The number of queries for changes per poll interval. */
const QUERIES_PER_POLL = 3;
const MIN_PAUSE_MS = 10;
/** A server that ends each connection would otherwise be sent requests without a pause. */
const LEADERSHIP_LOST_PAUSE_MS = 100;
const POLLS_PER_JOB_QUERY = 5;
/** An upper limit for any poll: a standby has to replace a lost leader. */
const MAX_WAIT_MS = LEADER_TIMEOUT_MS / 2;

const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 1_000;
/** For errors that load the dashboard at each attempt and do not resolve by themselves. */
const MAX_BACKOFF_IF_SLOW_MS = 60_000;
const LOGGED_AGAIN_AFTER_MS = 60_000;

/** Whether the work of a session is done. */
type IsDone = (session: SyncSession) => Promise<boolean>;

/** Stands by while another worker leads, and works while it leads itself. */
export class SyncLoop extends Loop {
  readonly #failures: SessionFailures;
  /** Of this worker while it leads. Null: it does not lead. */
  epoch: number | null = null;
  /** Since the start, or since it stood by. */
  #hasLed = false;

  constructor(
    private readonly open: () => SyncSession,
    private readonly syncPollMs: number,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {
    super();
    this.#failures = new SessionFailures(metrics, log);
  }

  /** Why changes wait. Null: the sessions do not fail. */
  get failureReason(): string | null {
    return this.#failures.reason;
  }

  /** Runs until the condition is met, by this worker or another one. Errors are passed on. */
  async runUntil(isDone: IsDone): Promise<void> {
    for (;;) {
      try {
        return await this.#runSession(isDone);
      } catch (error) {
        if (!(error instanceof LeadershipLost)) throw error;
        await this.wait(LEADERSHIP_LOST_PAUSE_MS);
      }
    }
  }

  protected async runUntilStopped(): Promise<void> {
    while (!this.isStopping) {
      try {
        await this.#runSession(async () => this.isStopping);
      } catch (error) {
        if (this.isStopping) return;
        this.#failures.add(error);
        await this.wait(this.#failures.backoffMs);
      }
    }
  }

  async #runSession(isDone: IsDone): Promise<void> {
    const session = this.open();
    try {
      await inTime(session.requireTables());
      await inTime(session.requireKnownDashboard());
      const epoch = await this.#standBy(session, isDone);
      if (epoch !== null) await this.#lead(session, epoch, isDone);
    } finally {
      this.epoch = null;
      await session.close();
    }
  }

  /** Returns the epoch as soon as no other worker leads. Null: the work is done. */
  async #standBy(session: SyncSession, isDone: IsDone): Promise<number | null> {
    // The sessions of all workers may fail in turn: each then stands by until the other one fails.
    // So only a standby that outlasts the leader's time limit counts as a success.
    const noteSuccess = every(LEADER_TIMEOUT_MS, async () => {
      this.#failures.reset(false);
      this.#hasLed = false;
    });
    for (;;) {
      const epoch = await inTime(session.ports.leadership.claim(this.failureReason));
      if (epoch !== null) return epoch;
      if (await inTime(isDone(session))) return null;
      await noteSuccess();
      await this.wait(Math.min(this.syncPollMs, MAX_WAIT_MS));
    }
  }

  async #lead(session: SyncSession, epoch: number, isDone: IsDone): Promise<void> {
    // Before any other query: after a failover, jobs have to be added first.
    await inTime(session.recognize(epoch));
    this.epoch = epoch;
    // If sessions keep failing, each new one leads again.
    this.log[this.#hasLed ? 'debug' : 'info']('syncing: this worker leads', { epoch });
    this.#hasLed = true;
    const checkCapture = () => session.checkCapture(epoch);
    // Before anything is read: a replaced table may not be readable.
    await inTime(checkCapture());
    const timers = [
      // A restore ends no connection.
      every(CHECK_DATABASES_EVERY_MS, () => session.recognize(epoch)),
      every(CHECK_DATABASES_EVERY_MS, checkCapture),
      every(RECONCILE_EVERY_MS, () => this.#reconcile(session, epoch)),
      every(BEAT_EVERY_MS, () => session.worker.beat(epoch)),
    ];
    for (;;) {
      // Also if there is always other work. Otherwise they would never run.
      for (const runIfDue of timers) await runIfDue();
      if (await inTime(isDone(session))) return;
      const isBusy = await inTime(session.worker.step(epoch));
      if (!isBusy) await this.#waitForChanges(session);
    }
  }

  async #reconcile(session: SyncSession, epoch: number): Promise<void> {
    const repaired = await session.worker.reconcileNextStep(epoch);
    this.#failures.reset(true);
    if (repaired === 0) return;
    this.metrics.count('row-repaired', repaired);
    this.log.error('syncing: rows differed from the dashboard without a waiting change and were repaired', {
      repaired,
    });
  }

  /** Jobs are looked for less often than changes, because no edit depends on them. */
  async #waitForChanges({ ports }: SyncSession): Promise<void> {
    const waitMs = Math.min(POLLS_PER_JOB_QUERY * this.syncPollMs, BEAT_EVERY_MS);
    const pauseMs = Math.min(Math.max(MIN_PAUSE_MS, this.syncPollMs / QUERIES_PER_POLL), waitMs);
    const until = performance.now() + waitMs;
    while (performance.now() < until && !this.isStopping) {
      await this.wait(pauseMs);
      if (await inTime(ports.changeFeed.hasNew())) return;
    }
  }
}

/** Returns a function that runs the action if it has not run for so long. */
function every(milliseconds: number, action: () => Promise<void>): () => Promise<void> {
  let ranAt = performance.now();
  return async () => {
    if (performance.now() - ranAt < milliseconds) return;
    await inTime(action());
    ranAt = performance.now();
  };
}

/** A server that does not respond in this time is unavailable. Another worker leads by then. */
function inTime<Result>(answer: Promise<Result>): Promise<Result> {
  return withTimeLimit(LEADER_TIMEOUT_MS, answer);
}

/** The failures of a worker's sessions since one last worked. */
class SessionFailures {
  #count = 0;
  #last: unknown = null;
  /** How long to wait before the next session. */
  backoffMs = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  /** Why changes wait. Null: a session works, or a single one failed, which may be a failover. */
  get reason(): string | null {
    if (this.#count === 0 || (this.#count === 1 && !this.#isTooSlow)) return null;
    const sessions = this.#count === 1 ? 'session' : `${this.#count} sessions`;
    return storable(`the last ${sessions} failed: ${reasonOf(this.#last)}`);
  }

  add(error: unknown): void {
    this.#count++;
    this.#last = error;
    const maxBackoffMs = this.#isTooSlow ? MAX_BACKOFF_IF_SLOW_MS : MAX_BACKOFF_MS;
    this.backoffMs = Math.min(Math.max(MIN_BACKOFF_MS, this.backoffMs * 2), maxBackoffMs);
    this.metrics.count('session-failed');
    this.#logLast();
  }

  /** A session works again, as the leader or as a standby. */
  reset(leads: boolean): void {
    if (this.#count > 0) this.log.info('syncing: works again', { failures: this.#count, leads });
    this.#count = 0;
    this.#last = null;
    this.backoffMs = 0;
  }

  get #isTooSlow(): boolean {
    return this.#last instanceof SourceTooSlow;
  }

  /** Once, and a lasting failure once a minute: each attempt of an outage may fail differently. */
  #logLast(): void {
    const isFirst = this.#count === 1;
    const isDue = performance.now() - this.#loggedAt >= LOGGED_AGAIN_AFTER_MS;
    const level = isFirst && !this.#isTooSlow ? 'warn' : isFirst || isDue ? 'error' : 'debug';
    if (level !== 'debug') this.#loggedAt = performance.now();
    const details = { reason: reasonOf(this.#last), failures: this.#count, error: this.#last };
    this.log[level]('syncing: failed and is retried', details);
  }
}
