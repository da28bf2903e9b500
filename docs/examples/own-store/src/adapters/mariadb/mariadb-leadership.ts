import type { Leadership } from 'blog-content-read-api/ports';
import { LeadershipLost } from 'blog-content-read-api/ports';
import type { Database, Session } from './database.js';

/** Names of locks are the server's, and not a database's; and no longer than 64 characters. */
const LOCK = `md5(concat(database(), '.sync_lead'))`;

/** The first sign of life of a leader that has the lock, and no row yet, is what its connection did last. */
const FROZEN_LEADER = `
  select held.id as connectionId from information_schema.processlist as held join sync_lead
  where held.id = is_used_lock(${LOCK}) and case when sync_lead.connection_id = held.id
    then sync_lead.beat_at < utc_timestamp(6) - interval :micros microsecond
    else held.time_ms > :micros / 1000 end`;

/**
 * The lead is a lock that ends with its connection, so that a leader which dies is followed at once. Beside it stands a row: who was
 * frozen may still believe in its lock, but each write is refused that is not of the present epoch and of its connection. So claim and
 * write on a database of one connection.
 */
export class MariadbLeadership implements Leadership {
  constructor(
    private readonly database: Database,
    private readonly frozenAfterMs: number,
  ) {}

  async claim(): Promise<number | null> {
    const [lock] = await this.database.ask<{ isOurs: number }>(`select get_lock(${LOCK}, 0) as isOurs`);
    if (lock?.isOurs === 1) return this.#begin();
    await this.#endFrozen();
    return null;
  }

  #begin(): Promise<number> {
    return this.database.transaction(async (session) => {
      const isOurs = await session.change(
        `update sync_lead set epoch = epoch + 1, connection_id = connection_id(), beat_at = utc_timestamp(6)
         where is_used_lock(${LOCK}) = connection_id()`,
      );
      // Between the two, the pool may have got another connection.
      if (isOurs === 0) throw new LeadershipLost(null);
      const [row] = await session.ask<{ epoch: number }>('select epoch from sync_lead');
      return Number(row?.epoch);
    });
  }

  /** And with its connection all that it holds: its lock, and the rows that it was writing. */
  async #endFrozen(): Promise<void> {
    const frozen = await this.database.ask<{ connectionId: number }>(FROZEN_LEADER, {
      micros: this.frozenAfterMs * 1000,
    });
    for (const { connectionId } of frozen) await this.database.change(`kill connection ${connectionId}`);
  }
}

/** Keeps the lead to the end of the transaction, and shows that the leader is alive. */
export async function requireLead(session: Session, epoch: number): Promise<void> {
  const isOurs = await session.change(
    'update sync_lead set beat_at = utc_timestamp(6) where epoch = :epoch and connection_id = connection_id()',
    { epoch },
  );
  if (isOurs === 0) throw new LeadershipLost(epoch);
}
