import type { Knex } from 'knex';
import { reasonOf } from '../../../domain/policies/reason-of.js';
import type { Log } from '../../../domain/ports/system/log.js';
import { identityOn, type ServerIdentity } from '../../sql/postgres/server-identity.js';
import { QUERY_TIMEOUT_MS } from '../read/read-database.js';
import { newestReadableGeneration } from '../read/read-table.js';

/** The counts of one replica. */
export interface ReplicaReading {
  readonly name: string;
  readonly answered: number;
  /** Why the replica is excluded; null: it is used. */
  readonly exclusion: string | null;
}

/** Read while it answers probes, save for content that it only has in an older state. */
export class Replica {
  #exclusion: string | null = 'it has not been probed yet';
  #isReported = false;
  #lowestMissing = Number.POSITIVE_INFINITY;
  #probe: Promise<void> | null = null;
  #load = 0;
  #answered = 0;

  constructor(
    readonly name: string,
    private readonly database: Knex,
    private readonly log: Log,
    /** Rejects an answer to a probe that takes too long. */
    private readonly inTime: <Answer>(answer: Promise<Answer>) => Promise<Answer>,
  ) {}

  get reading(): ReplicaReading {
    return { name: this.name, answered: this.#answered, exclusion: this.#exclusion };
  }

  /** Reads in progress. */
  get load(): number {
    return this.#load;
  }

  /** Whether it is used and may have content that is at least this new. */
  canServe(since: number): boolean {
    return this.#exclusion === null && since < this.#lowestMissing;
  }

  /** Called after a read that showed a state that was new enough. */
  countAnswer(): void {
    this.#answered++;
  }

  /** The replica lacks this generation of an organization, and all later commits. */
  reportMissing(generation: number): void {
    this.#lowestMissing = Math.min(this.#lowestMissing, generation);
  }

  /** A failure probes the replica, so that later reads avoid it. */
  async read<Result>(ask: (database: Knex) => PromiseLike<Result>): Promise<Result> {
    this.#load++;
    try {
      return await ask(this.database);
    } catch (error) {
      void this.probe();
      throw error;
    } finally {
      this.#load--;
    }
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
      const newest = await this.inTime(newestReadableGeneration(this.database));
      if (newest >= this.#lowestMissing) this.#lowestMissing = Number.POSITIVE_INFINITY;
      this.#readmit();
    } catch (error) {
      this.#exclude(reasonOf(error));
    }
  }

  #readmit(): void {
    this.#exclusion = null;
    if (!this.#isReported) return;
    this.#isReported = false;
    this.log.info('a read replica is used again', { replica: this.name });
  }

  #exclude(reason: string): void {
    this.#exclusion = reason;
    if (this.#isReported) return;
    this.#isReported = true;
    this.log.warn('a read replica is excluded', { replica: this.name, reason });
  }
}

/** Replicas are compared with it while the primary is unreachable. */
export class PrimaryIdentity {
  #last: ServerIdentity | null = null;

  constructor(private readonly database: Knex) {}

  /** Null: no answer yet. A replica would be blamed for a failure of the primary. */
  get lastIdentity(): ServerIdentity | null {
    return this.#last;
  }

  /** To be called repeatedly. */
  async refresh(): Promise<void> {
    const query = async (sql: string) => await this.database.raw(sql).timeout(QUERY_TIMEOUT_MS);
    this.#last = await identityOn({ query });
  }
}
