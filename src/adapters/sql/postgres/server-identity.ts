import type { Knex } from 'knex';
import type { DatabaseIdentity } from '../../../domain/ports/sync/sync-notes.js';
import { isUnencrypted } from '../is-unencrypted.js';

/** A restored dump has the id as well, but another server or number beside it. */
export const INSTALLATION = `
  select left(md5(concat_ws(' ', id, (select system_identifier from pg_control_system()),
    (select oid from pg_database where datname = current_database()))), 16)
  from content_read.installation`;

/** The timeline in the WAL: that in the control file is as old as the last checkpoint. */
const TIMELINE = `('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint`;

/** A server that was started again may have been restored, or lost what it had not flushed. */
const TIMELINE_AND_START = `
  ('x' || left(md5(concat_ws(' ', ${TIMELINE}, extract(epoch from pg_postmaster_start_time()))), 12))::bit(48)::bigint`;

const identityWith = (timeline: string) => `
  select (select system_identifier::text from pg_control_system()) as "systemIdentifier",
    (select oid::text from pg_database where datname = current_database()) as "databaseOid",
    (${timeline})::float8 as timeline`;

/** A restore changes it: it creates tables with other numbers, or writes this row again. */
const RESTORED = `
  select md5(concat_ws(' ', xmin, (select string_agg(oid::text, ' ' order by oid) from pg_class
    where relnamespace = 'content_read'::regnamespace and relkind = 'r'))) as restored
  from content_read.installation`;

async function identityFrom(database: Knex, timeline: string): Promise<DatabaseIdentity> {
  const { rows }: { rows: [DatabaseIdentity] } = await database.raw(identityWith(timeline));
  return rows[0];
}

export function dashboardIdentity(database: Knex): Promise<DatabaseIdentity> {
  return identityFrom(database, TIMELINE_AND_START);
}

/** Also differs after the tables were restored into their own database. */
export async function readTablesIdentity(database: Knex): Promise<DatabaseIdentity> {
  const { systemIdentifier, ...identity } = await identityFrom(database, TIMELINE);
  const { rows }: { rows: { restored: string }[] } = await database.raw(RESTORED);
  return { ...identity, systemIdentifier: `${systemIdentifier} ${rows[0]?.restored}` };
}

export async function postgresTimeMs(database: Knex): Promise<number> {
  const { rows } = await database.raw('select extract(epoch from clock_timestamp())::float8 * 1000 as now');
  return rows[0].now;
}

/** With its version, such as 17.2. */
export async function postgresServer(database: Knex) {
  const { rows }: { rows: [{ server_version: string }] } = await database.raw('show server_version');
  return {
    product: 'PostgreSQL',
    version: rows[0].server_version,
    isUnencrypted: await isUnencrypted(database),
  } as const;
}
