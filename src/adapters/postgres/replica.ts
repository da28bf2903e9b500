import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Log } from '../../domain/ports/log.js';
import type { Metrics } from '../../domain/ports/metrics.js';
import { newestReadableGeneration } from './readable-tables.js';

/** Many times the time that a healthy replica takes. */
const PROBE_MS = 300;
/** A slower read may be an expensive one, or the replica may hang. */
const DOUBT_AFTER_MS = 250;
/** Probes do not show why reads fail. More failures than this are not caused by a single statement. */
const MOST_FAILURES_IN_A_ROW = 3;
const LEFT_ALONE_FOR_MS = 5_000;

/** The counts of one replica. */
export interface ReplicaReading {
  readonly name: string;
  readonly answered: number;
  readonly older: number;
  readonly failed: number;
  /** Why the replica is not used; null: it is used. */
  readonly leftAlone: string | null;
}

/** A read was given up because its replica is no longer used. */
export class ReplicaLeft extends Error {
  override readonly name = 'ReplicaLeft';
}

/**
 * A server that is read while it answers probes. It is not asked for content of which it only has an older state until it has caught up.
 */
export class Replica {
  #leftAlone: string | null = 'it was not probed yet';
  #wasTold = false;
  #underway = new Set<(reason: ReplicaLeft) => void>();
  #lacking = Number.POSITIVE_INFINITY;
  #probe: Promise<void> | null = null;
  #failuresInARow = 0;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #leftAloneUntil = Number.NEGATIVE_INFINITY;
  #counts = { answered: 0, older: 0, failed: 0 };

  constructor(
    readonly name: string,
    private readonly database: Knex,
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {}

  get reading(): ReplicaReading {
    return { name: this.name, ...this.#counts, leftAlone: this.#leftAlone };
  }

  /** Reads in progress. */
  get load(): number {
    return this.#underway.size;
  }

  /** Whether it may have content that is at least this new. */
  suits(since: number): boolean {
    return this.#leftAlone === null && since < this.#lacking;
  }

  /** The same for a replica that is not used. */
  suitsAsLastResort(since: number): boolean {
    return this.#leftAlone !== null && since < this.#lacking;
  }

  count(outcome: 'answered' | 'older' | 'failed'): void {
    this.#counts[outcome]++;
    if (outcome === 'failed') return;
    this.#failuresInARow = 0;
    this.#answeredAt = performance.now();
  }

  hasAnsweredSince(time: number): boolean {
    return this.#answeredAt >= time;
  }

  /** Called after a failed read, because probes may still succeed. */
  doubt(reason: string): void {
    if (++this.#failuresInARow >= MOST_FAILURES_IN_A_ROW) {
      this.#failuresInARow = 0;
      this.#leftAloneUntil = performance.now() + LEFT_ALONE_FOR_MS;
      this.#leave(`${MOST_FAILURES_IN_A_ROW} reads failed in a row: ${reason}`);
    }
  }

  /** The replica lacks this generation of an organization, and all later commits. */
  lacks(generation: number): void {
    this.#lacking = Math.min(this.#lacking, generation);
  }

  /** Rejects when the replica is no longer used. */
  read<Result>(ask: (database: Knex) => PromiseLike<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const doubt = setTimeout(() => void this.probe(), DOUBT_AFTER_MS);
      const giveUp = (reason: ReplicaLeft) => {
        end();
        reject(reason);
      };
      const end = () => {
        clearTimeout(doubt);
        this.#underway.delete(giveUp);
      };
      this.#underway.add(giveUp);
      Promise.resolve(ask(this.database)).then(resolve, reject).finally(end);
    });
  }

  /** Also reads while the replica is not used: under load, it may miss its probes and still answer. */
  readAsLastResort<Result>(ask: (database: Knex) => PromiseLike<Result>, withinMs: number): Promise<Result> {
    return withTimeLimit(Promise.resolve(ask(this.database)), withinMs, 'a read');
  }

  /** Decides whether the replica is used. Concurrent calls share one probe. */
  probe(): Promise<void> {
    this.#probe ??= this.#look().finally(() => {
      this.#probe = null;
    });
    return this.#probe;
  }

  close(): Promise<void> {
    return this.database.destroy();
  }

  async #look(): Promise<void> {
    try {
      const newest = await withTimeLimit(newestReadableGeneration(this.database), PROBE_MS, 'a probe');
      if (newest >= this.#lacking) this.#lacking = Number.POSITIVE_INFINITY;
      this.#use();
    } catch (error) {
      this.#leave(error instanceof Error ? error.message : String(error));
    }
  }

  #use(): void {
    if (this.#leftAlone === null || performance.now() < this.#leftAloneUntil) return;
    this.#leftAlone = null;
    if (!this.#wasTold) return;
    this.#wasTold = false;
    this.metrics.count('replica-readmitted');
    this.log.info('a read replica is used again', { replica: this.name });
  }

  #leave(reason: string): void {
    this.#leftAlone = reason;
    for (const giveUp of this.#underway) giveUp(new ReplicaLeft(reason));
    if (this.#wasTold) return;
    this.#wasTold = true;
    this.metrics.count('replica-excluded');
    this.log.warn('a read replica is not used until it responds to a probe', { replica: this.name, reason });
  }
}

/** A process that was busy first reads the replies that have arrived meanwhile. */
async function withTimeLimit<Result>(
  answer: Promise<Result>,
  withinMs: number,
  what: string,
): Promise<Result> {
  const late = new AbortController();
  const tooLate = async () => {
    await pause(withinMs, undefined, { signal: late.signal });
    await nextTurn();
    throw new Error(`no answer to ${what} within ${withinMs} ms`);
  };
  try {
    return await Promise.race([answer, tooLate()]);
  } finally {
    late.abort();
    answer.catch(() => {});
  }
}
