import type { Knex } from 'knex';
import type { Leadership } from '../../../domain/ports/sync/leadership.js';

const LOCK = `hashtextextended('content_read.sync_leader', 0)`;

/**
 * The lock ends with its connection, so a standby can take over at once when a leader dies. It is
 * no beat: a worker that only claims, because each of its sessions fails, confirms no content.
 */
const CLAIM = `
  insert into content_read.sync_leader as former (epoch, backend_pid, holder, failure, since, beat_at)
  select 1, pg_backend_pid(), :holder, :failure, clock_timestamp(), clock_timestamp() where pg_try_advisory_lock(${LOCK})
  on conflict (only_row) do update
  set epoch = former.epoch + 1, backend_pid = excluded.backend_pid, holder = excluded.holder, failure = excluded.failure, since = excluded.since
  returning epoch`;

/** Ends the session of a frozen or unreachable leader. A new leader has another process id. */
const END_FROZEN_LEADER = `
  select pg_terminate_backend(held.pid)
  from pg_locks as held
    join content_read.sync_leader as leader on true
    join pg_stat_activity as activity on activity.pid = held.pid
  where held.locktype = 'advisory' and held.granted and held.objsubid = 1
    and held.database = (select oid from pg_database where datname = current_database())
    and (held.classid::bigint << 32 | held.objid::bigint) = ${LOCK}
    and case when leader.backend_pid = held.pid then greatest(leader.beat_at, leader.since) else activity.state_change end
      < clock_timestamp() - :limit * interval '1 millisecond'`;

/** Leadership belongs to a connection: use a pool of one, and discard it after any failure. */
export class PostgresLeadership implements Leadership {
  constructor(
    private readonly database: Knex,
    private readonly holder: string,
    private readonly leaderTimeoutMs: number,
  ) {}

  async claim(failure: string | null): Promise<number | null> {
    const claimed: { rows: { epoch: string }[] } = await this.database.raw(CLAIM, {
      holder: this.holder,
      failure,
    });
    const epoch = claimed.rows[0]?.epoch;
    if (epoch !== undefined) return Number(epoch);
    await this.database.raw(END_FROZEN_LEADER, { limit: this.leaderTimeoutMs });
    return null;
  }
}
