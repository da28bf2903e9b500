import { reasonOf } from '../../adapters/postgres/connection/is-outage.js';
import type { Log, LogDetails } from '../../domain/ports/log.js';

const FIRST_PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 600_000;
const MAX_CAUSES = 1_000;

interface Cause {
  readonly quietUntil: number;
  readonly pauseMs: number;
  readonly repeated: number;
}

/** One line for each cause of failures, repeated at growing intervals. */
export class QuietLog implements Log {
  readonly #causes = new Map<string, Cause>();

  constructor(
    private readonly log: Log,
    private readonly now: () => number = () => performance.now(),
  ) {}

  debug(message: string, details?: LogDetails): void {
    this.log.debug(message, details);
  }

  info(message: string, details?: LogDetails): void {
    this.log.info(message, details);
  }

  warn(message: string, details?: LogDetails): void {
    this.#write('warn', message, details);
  }

  error(message: string, details?: LogDetails): void {
    this.#write('error', message, details);
  }

  #write(level: 'warn' | 'error', message: string, details: LogDetails = {}): void {
    const { error } = details;
    if (!(error instanceof Error)) {
      this.log[level](message, details);
      return;
    }
    const reason = reasonOf(error);
    const cause = `${message}: ${reason}`;
    const now = this.now();
    const entry = this.#causes.get(cause);
    if (entry !== undefined && now < entry.quietUntil) {
      this.#causes.set(cause, { ...entry, repeated: entry.repeated + 1 });
      return;
    }
    if (this.#causes.size >= MAX_CAUSES) this.#causes.clear();
    const isOver = entry === undefined || now > entry.quietUntil + MAX_PAUSE_MS;
    const pauseMs = isOver ? FIRST_PAUSE_MS : Math.min(entry.pauseMs * 2, MAX_PAUSE_MS);
    this.#causes.set(cause, { quietUntil: now + pauseMs, pauseMs, repeated: 0 });
    const repeated = entry?.repeated ?? 0;
    // First the reason: the message of a database begins with its statement.
    this.log[level](message, { reason, ...(repeated > 0 ? { repeated } : {}), ...details });
  }
}
