import type { Knex } from 'knex';
import type { Snapshot } from '../../../domain/model/snapshot.js';
import { Unavailable } from '../../../domain/policies/circuit-breaker.js';
import type { Metrics } from '../../../domain/ports/metrics.js';
import { isOfStatement, isOutage, reasonOf } from '../connection/is-outage.js';
import {
  type ContentDatabase,
  type DatedRow,
  generationOf,
  type PrimaryContent,
} from '../read/content-database.js';
import { MAX_READ_MS, type Replica, ReplicaExcluded } from './replica.js';

/** If more replicas than this lag, the primary is asked, which does not. */
const MAX_ATTEMPTS = 2;
/** A later failure has used up its time. As much time is left for the primary. */
const LATEST_FAILURE_MS = 700;

/** Reads from the least busy replica, then from another or the primary, then from all. */
export class ReplicatedContent implements ContentDatabase {
  #turn = 0;

  constructor(
    private readonly primary: PrimaryContent,
    private readonly replicas: readonly Replica[],
    private readonly metrics: Metrics,
  ) {}

  async rows<Row extends DatedRow>(
    ask: (database: Knex) => PromiseLike<readonly Row[]>,
    snapshot: Snapshot,
  ): Promise<readonly Row[]> {
    const begunAt = performance.now();
    const tried = new Set<Replica>();
    while (tried.size < MAX_ATTEMPTS) {
      const replica = this.#leastBusy(snapshot.since, tried);
      if (replica === undefined) break;
      tried.add(replica);
      const rows = await rowsOn(replica, ask, snapshot.since);
      if (rows === 'no time') break;
      if (rows !== null) return rows;
    }
    this.metrics.count('read-from-primary');
    try {
      return await this.primary.rows(ask, snapshot);
    } catch (error) {
      const withinMs = begunAt + MAX_READ_MS - performance.now();
      if (withinMs <= 0 || isOfStatement(error)) throw error;
      // Also those that were tried: they may be used again by now.
      const candidates = this.replicas.filter((replica) => replica.mayHave(snapshot.since));
      const reads = candidates.map((replica) => rowsAsLastResort(replica, ask, snapshot.since, withinMs));
      return Promise.any(reads).catch(() => {
        // Probes of this content may succeed: a replica has it in an older state.
        throw new Unavailable('the read tables', error);
      });
    }
  }

  #leastBusy(since: number, tried: ReadonlySet<Replica>): Replica | undefined {
    this.#turn = (this.#turn + 1) % this.replicas.length;
    const inTurn = [...this.replicas.slice(this.#turn), ...this.replicas.slice(0, this.#turn)];
    const candidates = inTurn.filter((replica) => replica.canServe(since) && !tried.has(replica));
    return candidates.toSorted((one, other) => one.load - other.load)[0];
  }
}

/** Null: another server has to be asked. */
async function rowsOn<Row extends DatedRow>(
  replica: Replica,
  ask: (database: Knex) => PromiseLike<readonly Row[]>,
  since: number,
): Promise<readonly Row[] | 'no time' | null> {
  const begunAt = performance.now();
  try {
    const rows = await replica.read(ask);
    if (generationOf(rows) >= since) {
      replica.answered(true);
      return rows;
    }
    replica.answered(false);
    replica.reportMissing(since);
  } catch (error) {
    const isOfReplica = error instanceof ReplicaExcluded || isOutage(error);
    const isLate = !isOfReplica && performance.now() - begunAt > LATEST_FAILURE_MS;
    // The replica answered other reads meanwhile, so the statement itself is slow.
    if (isLate && replica.hasAnsweredSince(begunAt)) throw error;
    if (!isOfReplica) replica.suspect(reasonOf(error));
    void replica.probe();
    if (isLate) return 'no time';
  }
  return null;
}

async function rowsAsLastResort<Row extends DatedRow>(
  replica: Replica,
  ask: (database: Knex) => PromiseLike<readonly Row[]>,
  since: number,
  withinMs: number,
): Promise<readonly Row[]> {
  const rows = await replica.readAsLastResort(ask, withinMs);
  if (generationOf(rows) < since) throw new Error('The replica has only an older state');
  replica.answered(true);
  return rows;
}
