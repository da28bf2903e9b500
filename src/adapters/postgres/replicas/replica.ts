import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Log } from '../../../domain/ports/log.js';
import { reasonOf } from '../connection/is-outage.js';
import { QUERY_TIMEOUT_MS } from '../connection/read-database.js';
import { identityOn, type ServerIdentity } from '../inspect/server-identity.js';
import { newestReadableGeneration } from '../read/read-table.js';

/** A caller gets an answer within two seconds. */
export const MAX_READ_MS = 1_900;

/** Many times the time that a healthy replica takes. */
const PROBE_MS = 300;
/** A slower read may be an expensive one, or the replica may hang. */
const PROBE_AFTER_MS = 250;
/** More failures than this are not caused by a single statement. */
const MAX_FAILURES_IN_A_ROW = 3;
const EXCLUDED_FOR_MS = 5_000;

/** The counts of one replica. */
export interface ReplicaReading {
  readonly name: string;
  readonly answered: number;
  /** Why the replica is excluded; null: it is used. */
  readonly exclusion: string | null;
}

/** A read was given up because its replica is no longer used. */
export class ReplicaExcluded extends Error {
  override readonly name = 'ReplicaExcluded';
}

/** Read while it answers probes, save for content that it only has in an older state. */
export class Replica {
  #exclusion: string | null = 'it has not been probed yet';
  #isReported = false;
  #running = new Set<(reason: ReplicaExcluded) => void>();
  #lowestMissing = Number.POSITIVE_INFINITY;
  #probe: Promise<void> | null = null;
  #failuresInARow = 0;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #excludedUntil = Number.NEGATIVE_INFINITY;
  #answered = 0;

  constructor(
    readonly name: string,
    private readonly database: Knex,
    private readonly log: Log,
  ) {}

  get reading(): ReplicaReading {
    return { name: this.name, answered: this.#answered, exclusion: this.#exclusion };
  }

  /** Reads in progress. */
  get load(): number {
    return this.#running.size;
  }

  /** Whether it is used and may have content that is at least this new. */
  canServe(since: number): boolean {
    return this.#exclusion === null && this.mayHave(since);
  }

  /** Whether it may have content that is at least this new, used or not. */
  mayHave(since: number): boolean {
    return since < this.#lowestMissing;
  }

  /** Called after a reply, which may show an older state than was asked for. */
  answered(isNewEnough: boolean): void {
    if (isNewEnough) this.#answered++;
    this.#failuresInARow = 0;
    this.#answeredAt = performance.now();
  }

  hasAnsweredSince(time: number): boolean {
    return this.#answeredAt >= time;
  }

  /** Called after a failed read, because probes may still succeed. */
  suspect(reason: string): void {
    if (++this.#failuresInARow >= MAX_FAILURES_IN_A_ROW) {
      this.#failuresInARow = 0;
      this.#excludedUntil = performance.now() + EXCLUDED_FOR_MS;
      this.#exclude(`${MAX_FAILURES_IN_A_ROW} reads failed in a row: ${reason}`);
    }
  }

  /** The replica lacks this generation of an organization, and all later commits. */
  reportMissing(generation: number): void {
    this.#lowestMissing = Math.min(this.#lowestMissing, generation);
  }

  /** Rejects when the replica is no longer used. */
  read<Result>(ask: (database: Knex) => PromiseLike<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const probeTimer = setTimeout(() => void this.probe(), PROBE_AFTER_MS);
      const giveUp = (reason: ReplicaExcluded) => {
        end();
        reject(reason);
      };
      const end = () => {
        clearTimeout(probeTimer);
        this.#running.delete(giveUp);
      };
      this.#running.add(giveUp);
      const result = (async () => ask(this.database))();
      result.then(resolve, reject).finally(end);
    });
  }

  /** Under load, a replica may miss its probes and still answer. */
  readAsLastResort<Result>(ask: (database: Knex) => PromiseLike<Result>, withinMs: number): Promise<Result> {
    return withTimeLimit(Promise.resolve(ask(this.database)), withinMs, 'a read');
  }

  /** Decides whether the replica is used. Concurrent calls share one probe. */
  probe(): Promise<void> {
    this.#probe ??= this.#runProbe().finally(() => {
      this.#probe = null;
    });
    return this.#probe;
  }

  close(): Promise<void> {
    return this.database.destroy();
  }

  async #runProbe(): Promise<void> {
    try {
      const newest = await withTimeLimit(newestReadableGeneration(this.database), PROBE_MS, 'a probe');
      if (newest >= this.#lowestMissing) this.#lowestMissing = Number.POSITIVE_INFINITY;
      this.#readmit();
    } catch (error) {
      this.#exclude(reasonOf(error));
    }
  }

  #readmit(): void {
    if (this.#exclusion === null || performance.now() < this.#excludedUntil) return;
    this.#exclusion = null;
    if (!this.#isReported) return;
    this.#isReported = false;
    this.log.info('a read replica is used again', { replica: this.name });
  }

  #exclude(reason: string): void {
    this.#exclusion = reason;
    for (const giveUp of this.#running) giveUp(new ReplicaExcluded(reason));
    if (this.#isReported) return;
    this.#isReported = true;
    this.log.warn('a read replica is excluded', { replica: this.name, reason });
  }
}

/** A process that was busy first reads the replies that have arrived meanwhile. */
export async function withTimeLimit<Result>(
  result: Promise<Result>,
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
    return await Promise.race([result, tooLate()]);
  } finally {
    late.abort();
    result.catch(() => {});
  }
}

/** Replicas are compared with it while the primary is unreachable. */
export class PrimaryIdentity {
  #last: ServerIdentity | null = null;

  constructor(private readonly database: Knex) {}

  /** Null: no answer yet. A replica would be blamed for a failure of the primary. */
  get known(): ServerIdentity | null {
    return this.#last;
  }

  /** To be called repeatedly. */
  async refresh(): Promise<void> {
    const query = async (sql: string) => await this.database.raw(sql).timeout(QUERY_TIMEOUT_MS);
    this.#last = await identityOn({ query });
  }
}
