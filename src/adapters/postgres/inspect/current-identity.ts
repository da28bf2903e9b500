import type { Knex } from 'knex';
import type { DatabaseIdentity } from '../../../domain/policies/database-change.js';

/** Of a server that takes writes; the timeline is in the name of the current WAL file. */
const PRESENT = `
  select (select system_identifier::text from pg_control_system()) as "systemIdentifier",
    (select oid::text from pg_database where datname = current_database()) as "databaseOid",
    ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint as timeline`;

export async function currentIdentity(database: Knex): Promise<DatabaseIdentity> {
  const { rows }: { rows: [Omit<DatabaseIdentity, 'timeline'> & { readonly timeline: string }] } =
    await database.raw(PRESENT);
  return { ...rows[0], timeline: Number(rows[0].timeline) };
}
