import { reasonOf } from '../../adapters/postgres/connection/is-outage.js';
import { SourceTooSlow } from '../../domain/errors.js';
import type { Log } from '../../domain/ports/log.js';
import type { Metrics } from '../../domain/ports/metrics.js';

const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 1_000;
/** For errors that load the dashboard at each attempt and do not resolve by themselves. */
const MAX_BACKOFF_IF_SLOW_MS = 60_000;
const LOGGED_AGAIN_AFTER_MS = 60_000;

/** The failures of a worker's sessions since one last worked. */
export class SessionFailures {
  #count = 0;
  #last: unknown = null;
  #backoffMs = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  /** Why changes wait. Null: a session works, or a single one failed, which may be a failover. */
  get reason(): string | null {
    if (this.#count === 0 || (this.#count === 1 && !this.#isTooSlow)) return null;
    return `the last ${this.#count === 1 ? 'session' : `${this.#count} sessions`} failed: ${reasonOf(this.#last)}`;
  }

  /** How long to wait before the next session. */
  get backoffMs(): number {
    return this.#backoffMs;
  }

  add(error: unknown): void {
    this.#count++;
    this.#last = error;
    const maxBackoffMs = this.#isTooSlow ? MAX_BACKOFF_IF_SLOW_MS : MAX_BACKOFF_MS;
    this.#backoffMs = Math.min(Math.max(MIN_BACKOFF_MS, this.#backoffMs * 2), maxBackoffMs);
    this.metrics.count('session-failed');
    this.#logLast();
  }

  /** A session works again, as the leader or as a standby. */
  reset(leads: boolean): void {
    if (this.#count > 0) this.log.info('syncing: works again', { failures: this.#count, leads });
    this.#count = 0;
    this.#last = null;
    this.#backoffMs = 0;
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
    // First the reason: the message of a database begins with its statement.
    const details = { reason: reasonOf(this.#last), failures: this.#count, error: this.#last };
    this.log[level]('syncing: failed and is retried', details);
  }
}
