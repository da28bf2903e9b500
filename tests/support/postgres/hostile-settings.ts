import type { Knex } from 'knex';

/** The worst value of each setting, as other applications may have configured it for a database or a role. */
const HOSTILE_SETTINGS: Readonly<Record<string, string>> = {
  datestyle: 'German, DMY',
  // Before time zones existed, offsets had seconds. A server with this zone writes them into old times.
  timezone: 'Europe/Amsterdam',
  client_encoding: 'LATIN1',
  standard_conforming_strings: 'off',
  quote_all_identifiers: 'on',
  search_path: 'nowhere',
  row_security: 'off',
  gin_fuzzy_search_limit: '1',
  default_transaction_isolation: 'serializable',
  default_transaction_read_only: 'on',
  statement_timeout: '100ms',
  lock_timeout: '1ms',
  idle_in_transaction_session_timeout: '100ms',
  idle_session_timeout: '1s',
  jit: 'on',
  synchronous_commit: 'off',
  session_replication_role: 'replica',
};

/** Applies from the next session on: to one role in every database, or to all roles in this database. */
export async function makeHostile(
  database: Knex,
  role: string | null = null,
  settings: readonly string[] = Object.keys(HOSTILE_SETTINGS),
): Promise<void> {
  const { rows }: { rows: [{ name: string }] } = await database.raw(
    'select quote_ident(current_database()) as name',
  );
  const whom = role === null ? `database ${rows[0].name}` : `role ${role}`;
  for (const setting of settings) {
    await database.raw(`alter ${whom} set ${setting} = '${HOSTILE_SETTINGS[setting]}'`);
  }
}

export function hostileSettings(): readonly string[] {
  return Object.keys(HOSTILE_SETTINGS);
}
