import type { Knex } from 'knex';
import type { Snapshot } from '../../../domain/model/snapshot.js';
import { Unavailable } from '../../../domain/policies/circuit-breaker.js';
import type { Metrics } from '../../../domain/ports/system/metrics.js';
import { isOfStatement } from '../../sql/postgres/is-outage.js';
import {
  type ContentDatabase,
  type DatedRow,
  generationOf,
  type PrimaryContent,
} from '../read/content-database.js';
import type { Replica } from './replica.js';

/** If more replicas than this lag or fail, the primary is asked. */
const MAX_ATTEMPTS = 2;

/** Reads from the least busy replica, then from another, then from the primary. */
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
    for (const replica of this.#leastBusyFirst(snapshot.since).slice(0, MAX_ATTEMPTS)) {
      try {
        const rows = await replica.read(ask);
        if (generationOf(rows) < snapshot.since) {
          replica.reportMissing(snapshot.since);
          continue;
        }
        replica.countAnswer();
        return rows;
      } catch (error) {
        // Another replica would take as long for a statement that is too slow.
        if (isOfStatement(error)) break;
      }
    }
    this.metrics.count('read-from-primary');
    try {
      return await this.primary.rows(ask, snapshot);
    } catch (error) {
      if (isOfStatement(error)) throw error;
      // No probe decides here: a replica with an older state would pass it.
      throw new Unavailable('the read tables', error);
    }
  }

  #leastBusyFirst(since: number): readonly Replica[] {
    this.#turn = (this.#turn + 1) % this.replicas.length;
    const inTurn = [...this.replicas.slice(this.#turn), ...this.replicas.slice(0, this.#turn)];
    const candidates = inTurn.filter((replica) => replica.canServe(since));
    return candidates.toSorted((one, other) => one.load - other.load);
  }
}
