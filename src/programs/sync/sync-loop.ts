import { setTimeout as pause } from 'node:timers/promises';
import { FROZEN_AFTER_MS } from '../../composition/frozen-after.js';
import { LeadershipLost, SourceTooSlow } from '../../domain/errors.js';
import type { Log } from '../../domain/ports/log.js';
import type { Metrics } from '../../domain/ports/metrics.js';
import type { SyncSession } from './sync-session.js';

const CHECK_EVERY_MS = 1_000;
const WATCH_CAPTURE_EVERY_MS = 10_000;
/** How often it is asked, in the time of a poll, whether something has changed. */
const ASKED_A_POLL = 3;
const SHORTEST_PAUSE_MS = 10;
const POLLS_WITHOUT_WORK = 5;
/** However long a poll is: a leader that does not write is taken for frozen, and one that is gone should be followed. */
const LONGEST_WAIT_MS = FROZEN_AFTER_MS / 2;
const SHORTEST_BACKOFF_MS = 100;
const LONGEST_BACKOFF_MS = 1_000;
/** Of what loads the dashboard each time, and will not get better by itself. */
const LONGEST_BACKOFF_IF_SLOW_MS = 60_000;
const TOLD_AGAIN_AFTER_MS = 60_000;

/** Leads whenever nobody else does, and works while it leads. */
export class SyncLoop {
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #backoffMs = SHORTEST_BACKOFF_MS;
  #leads = false;
  #toldAt = Number.NEGATIVE_INFINITY;
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

  /** What the worker stands still for, while its last attempt took too long; null: for nothing. */
  get tooSlow(): SourceTooSlow | null {
    return this.#tooSlow;
  }

  /** Until it is stopped, whatever fails: a server that is away comes back. */
  start(): void {
    this.#running = this.#runForEver();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Until that is the case, by this worker's doing or another one's. What fails is passed on. */
  async runUntil(isDone: (session: SyncSession) => Promise<boolean>): Promise<void> {
    for (;;) {
      try {
        return await this.#runSession(isDone);
      } catch (error) {
        if (!(error instanceof LeadershipLost)) throw error;
      }
    }
  }

  async #runForEver(): Promise<void> {
    while (!this.#isStopping) {
      try {
        await this.#runSession(async () => this.#isStopping);
      } catch (error) {
        if (this.#isStopping) return;
        this.#tooSlow = error instanceof SourceTooSlow ? error : null;
        this.#tell(error);
        await this.#wait(this.#backoffMs);
        const longest = this.#tooSlow === null ? LONGEST_BACKOFF_MS : LONGEST_BACKOFF_IF_SLOW_MS;
        this.#backoffMs = Math.min(this.#backoffMs * 2, longest);
      }
    }
  }

  /** Once, and what goes on once a minute, so that nobody has to have seen how it began. */
  #tell(error: unknown): void {
    const isFirst = this.#backoffMs === SHORTEST_BACKOFF_MS;
    const isDue = performance.now() - this.#toldAt >= TOLD_AGAIN_AFTER_MS;
    const level = isFirst && this.#tooSlow === null ? 'warn' : isFirst || isDue ? 'error' : 'debug';
    if (level !== 'debug') this.#toldAt = performance.now();
    this.log[level]('syncing: failed and is retried', { error });
  }

  async #runSession(isDone: (session: SyncSession) => Promise<boolean>): Promise<void> {
    const session = this.open();
    try {
      await inTime(session.requireTables());
      await inTime(session.requireKnownDashboard());
      let epoch: number | null = null;
      let checkedAt = performance.now();
      let watchedAt = Number.NEGATIVE_INFINITY;
      for (;;) {
        // Before anything else is asked: after a failover there is work that nobody knows of yet.
        if (epoch === null) {
          epoch = await inTime(session.ports.leadership.claim());
          if (epoch !== null) await inTime(session.recognise(epoch));
          this.#leads = epoch !== null;
          if (epoch !== null) this.log.info('syncing: this worker leads', { epoch });
        }
        // Before anything is read: a table that was replaced may not be there to read.
        if (epoch !== null && performance.now() - watchedAt >= WATCH_CAPTURE_EVERY_MS) {
          await inTime(session.capture.run(epoch));
          watchedAt = performance.now();
        }
        if (await inTime(isDone(session))) return;
        const lookedAt = performance.now();
        const isBusy = epoch !== null && (await inTime(session.worker.step(epoch)));
        this.#worksAgain();
        // Also where there is always something else to do: else it would never come to its turn.
        if (epoch !== null && performance.now() - checkedAt >= CHECK_EVERY_MS) {
          await this.#check(session, epoch);
          checkedAt = performance.now();
        }
        if (!isBusy) await this.#waitForChanges(session, epoch !== null, lookedAt);
      }
    } finally {
      this.#leads = false;
      await session.close();
    }
  }

  async #check(session: SyncSession, epoch: number): Promise<void> {
    const repaired = await inTime(session.worker.checkPiece(epoch));
    if (repaired === 0) return;
    this.metrics.count('row-repaired', repaired);
    this.log.error('syncing: rows differed from the dashboard without a waiting change and were repaired', {
      repaired,
    });
  }

  #worksAgain(): void {
    if (this.#backoffMs > SHORTEST_BACKOFF_MS) this.log.info('syncing: works again');
    this.#backoffMs = SHORTEST_BACKOFF_MS;
    this.#tooSlow = null;
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /**
   * As long as there are none since that moment. Other work that there may be is looked for less often: nobody waits for it who edits. A
   * check in between does not put off the next question.
   */
  async #waitForChanges({ ports }: SyncSession, isLeading: boolean, lookedAt: number): Promise<void> {
    if (!isLeading) return this.#wait(Math.min(this.pollMs, LONGEST_WAIT_MS));
    const waitMs = Math.min(POLLS_WITHOUT_WORK * this.pollMs, LONGEST_WAIT_MS);
    const pauseMs = Math.min(Math.max(SHORTEST_PAUSE_MS, this.pollMs / ASKED_A_POLL), waitMs);
    const until = performance.now() + waitMs;
    let askedAt = lookedAt;
    while (performance.now() < until && !this.#isStopping) {
      await this.#wait(Math.max(SHORTEST_PAUSE_MS, askedAt + pauseMs - performance.now()));
      askedAt = performance.now();
      if (await inTime(ports.feed.hasNew())) return;
    }
  }

  /** Not to its end when the loop is stopped. */
  async #wait(milliseconds: number): Promise<void> {
    await pause(milliseconds, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }
}

/** A server that does not answer in this time is away; another worker will have taken the lead by then. */
async function inTime<Result>(answer: Promise<Result>): Promise<Result> {
  const patience = new AbortController();
  const late = pause(FROZEN_AFTER_MS, undefined, { signal: patience.signal }).then(() => {
    throw new Error(`A database did not answer within ${FROZEN_AFTER_MS} ms`);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    patience.abort();
    late.catch(() => {});
  }
}
