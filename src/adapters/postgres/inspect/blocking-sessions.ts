import type { Knex } from 'knex';

/** A session that the sync worker waits for, or that locks one of its tables. */
export interface BlockingSession {
  /** 0: a prepared transaction, which has no session. */
  readonly pid: number;
  readonly user: string | null;
  readonly application: string | null;
  /** The begin of its transaction. Null: this role may not see it. */
  readonly since: string | null;
  /** The tables that it locks against writes. */
  readonly tables: readonly string[];
}

interface Row extends Omit<BlockingSession, 'since'> {
  readonly since: Date | null;
}

/** Needs no lock and no right; a lock of rows is visible only while a worker waits for it. */
export async function blockingSessions(
  database: Knex,
  nameOfWorkers: string,
): Promise<readonly BlockingSession[]> {
  const { rows }: { rows: Row[] } = await database.raw(
    `with workers as (
      select pid, wait_event_type from pg_stat_activity
      where application_name = :nameOfWorkers and datname = current_database()
    ), blocking as (
      select blocker.pid, null as locked from workers cross join unnest(pg_blocking_pids(workers.pid)) as blocker (pid)
      where workers.wait_event_type = 'Lock'
      union
      select coalesce(held.pid, 0), held.relation::regclass::text
      from pg_locks as held join pg_class as class on class.oid = held.relation and class.relkind in ('r', 'p')
      where held.granted and class.relnamespace = to_regnamespace('content_read')
        and held.database = (select oid from pg_database where datname = current_database())
        and held.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
        and not exists (select from workers where workers.pid = held.pid)
    )
    select pid, max(usename) as "user", max(application_name) as application, max(xact_start) as since,
      coalesce(array_agg(distinct locked order by locked) filter (where locked is not null), '{}') as tables
    from blocking left join pg_stat_activity using (pid) group by pid order by pid`,
    { nameOfWorkers },
  );
  return rows.map((row) => ({ ...row, since: row.since?.toISOString() ?? null }));
}
