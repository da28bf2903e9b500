import type { Knex } from 'knex';

export interface ServerFacts {
  /** Such as 17.2. */
  readonly version: string;
  readonly clockMs: number;
}

export async function serverFacts(database: Knex): Promise<ServerFacts> {
  const { rows }: { rows: [{ version: string; clock: number }] } = await database.raw(`
    select current_setting('server_version') as version,
      extract(epoch from clock_timestamp())::float * 1000 as clock`);
  const [{ version, clock }] = rows;
  return { version, clockMs: clock };
}

/** The lag of a standby behind the WAL that its primary has written. */
export interface ReplicationLag {
  readonly bytes: number;
  readonly isPaused: boolean;
}

/** The end of the WAL that a server has written or replayed. */
export async function walPosition(database: Knex): Promise<string> {
  const { rows }: { rows: [{ position: string }] } = await database.raw(
    `select (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end)::text as position`,
  );
  return rows[0].position;
}

/** Null: it is not a standby. */
export async function replicationLag(database: Knex, behind: string): Promise<ReplicationLag | null> {
  const { rows }: { rows: [{ bytes: string; isPaused: boolean }?] } = await database.raw(
    `select greatest(0, pg_wal_lsn_diff(?::pg_lsn, pg_last_wal_replay_lsn())) as bytes,
         pg_is_wal_replay_paused() as "isPaused"
       from (select where pg_is_in_recovery() offset 0) as standby`,
    [behind],
  );
  const [lag] = rows;
  return lag === undefined ? null : { ...lag, bytes: Number(lag.bytes) };
}
