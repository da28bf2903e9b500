import type { Knex } from 'knex';
import type { DatabaseIdentity } from '../../domain/policies/database-change.js';

export type KnownDatabase = 'dashboard' | 'readTables';

/** Of a server that takes writes. By the name of the file that is written now: what the control file says is as old as its last checkpoint. */
const PRESENT = `
  select (select system_identifier::text from pg_control_system()) as "systemIdentifier",
    (select oid::text from pg_database where datname = current_database()) as "databaseOid",
    ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint as timeline`;

const KNOWN = `
  select system_identifier as "systemIdentifier", database_oid::text as "databaseOid", timeline
  from content_read.known_databases where name = ?`;

const REMEMBER = `
  insert into content_read.known_databases as known (name, system_identifier, database_oid, timeline)
  values (:name, :systemIdentifier, :databaseOid, :timeline)
  on conflict (name) do update set system_identifier = excluded.system_identifier, database_oid = excluded.database_oid,
    timeline = excluded.timeline, since = excluded.since
  where (known.system_identifier, known.database_oid, known.timeline)
    is distinct from (excluded.system_identifier, excluded.database_oid, excluded.timeline)`;

type Stored = Omit<DatabaseIdentity, 'timeline'> & { readonly timeline: string };

export async function presentIdentity(database: Knex): Promise<DatabaseIdentity> {
  const { rows }: { rows: [Stored] } = await database.raw(PRESENT);
  return { ...rows[0], timeline: Number(rows[0].timeline) };
}

/** As the worker saw it when it last led; null: it never did. */
export async function knownIdentity(readTables: Knex, name: KnownDatabase): Promise<DatabaseIdentity | null> {
  const { rows }: { rows: Stored[] } = await readTables.raw(KNOWN, [name]);
  const [known] = rows;
  return known === undefined ? null : { ...known, timeline: Number(known.timeline) };
}

export async function rememberIdentity(
  readTables: Knex,
  name: KnownDatabase,
  identity: DatabaseIdentity,
): Promise<void> {
  await readTables.raw(REMEMBER, { name, ...identity });
}

/** By the clock of this database, how long ago anything in it changed last. */
export async function secondsSinceLastChange(readTables: Knex): Promise<number> {
  const { rows }: { rows: [{ seconds: string }] } = await readTables.raw(`
    select greatest(0, ceil(extract(epoch from clock_timestamp()) - coalesce(max(generation), 0) / 1000000.0)) as seconds
    from content_read.organizations`);
  return Number(rows[0].seconds);
}
