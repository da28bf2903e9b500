import type { Leadership } from 'blog-content-read-api/ports';
import { LeadershipLost } from 'blog-content-read-api/ports';
import type { Database, Session } from './database.js';

/** Lock names apply to the whole server, not to a database, and have at most 64 characters. */
const LOCK = `md5(concat(database(), '.sync_lead'))`;

/** If a leader has the lock but no row yet, the last activity of its connection counts as its heartbeat. */
const FROZEN_LEADER = `
  select held.id as connectionId from information_schema.processlist as held join sync_lead
  where held.id = is_used_lock(${LOCK}) and case when sync_lead.connection_id = held.id
    then sync_lead.beat_at < utc_timestamp(6) - interval :micros microsecond
    else held.time_ms > :micros / 1000 end`;

/**
 * The leader holds a lock that the server releases when the connection ends, so a standby takes over at once when the leader dies. A row
 * has the epoch and the connection of the leader: a leader that was frozen may still assume that it has the lock, but a write with
 * another epoch or connection is refused. So claim and write on a `Database` with one connection.
 */
export class MariadbLeadership implements Leadership {
  constructor(
    private readonly database: Database,
    private readonly leaderTimeoutMs: number,
  ) {}

  async claim(): Promise<number | null> {
    const [lock] = await this.database.query<{ isOurs: number }>(`select get_lock(${LOCK}, 0) as isOurs`);
    if (lock?.isOurs === 1) return this.#begin();
    await this.#endFrozen();
    return null;
  }

  #begin(): Promise<number> {
    return this.database.transaction(async (session) => {
      const isOurs = await session.execute(
        `update sync_lead set epoch = epoch + 1, connection_id = connection_id(), beat_at = utc_timestamp(6)
         where is_used_lock(${LOCK}) = connection_id()`,
      );
      // The pool may have replaced the connection between the two statements.
      if (isOurs === 0) throw new LeadershipLost(null);
      const [row] = await session.query<{ epoch: number }>('select epoch from sync_lead');
      return Number(row?.epoch);
    });
  }

  /** Ending its connection releases its lock and rolls back its transaction. */
  async #endFrozen(): Promise<void> {
    const frozen = await this.database.query<{ connectionId: number }>(FROZEN_LEADER, {
      micros: this.leaderTimeoutMs * 1000,
    });
    for (const { connectionId } of frozen) await this.database.execute(`kill connection ${connectionId}`);
  }
}

/** Locks the row of the leader until the end of the transaction, and writes the heartbeat. */
export async function requireLeadership(session: Session, epoch: number): Promise<void> {
  const isOurs = await session.execute(
    'update sync_lead set beat_at = utc_timestamp(6) where epoch = :epoch and connection_id = connection_id()',
    { epoch },
  );
  if (isOurs === 0) throw new LeadershipLost(epoch);
}
