import type { Knex } from 'knex';

/** The sync worker that leads, or the last one that led. */
export interface LastLeader {
  readonly holder: string;
  readonly epoch: number;
  readonly since: string;
  readonly ledForMs: number;
  readonly lastBeatMs: number;
  readonly leads: boolean;
}

/** Null: no worker has ever led. */
export async function lastLeader(database: Knex): Promise<LastLeader | null> {
  const {
    rows,
  }: {
    rows: (Omit<LastLeader, 'epoch' | 'since'> & { readonly epoch: string; readonly since: Date })[];
  } = await database.raw(`
    select holder, epoch, since, leads,
      round(extract(epoch from clock_timestamp() - since) * 1000)::float8 as "ledForMs",
      round(extract(epoch from clock_timestamp() - beat_at) * 1000)::float8 as "lastBeatMs"
    from content_read.sync_leader, lateral (
      select exists (
        select from pg_locks where locktype = 'advisory' and granted and pid = backend_pid
          and database = (select oid from pg_database where datname = current_database())
      ) as leads
    ) as held
    where holder is not null`);
  const [row] = rows;
  return row === undefined ? null : { ...row, epoch: Number(row.epoch), since: row.since.toISOString() };
}
