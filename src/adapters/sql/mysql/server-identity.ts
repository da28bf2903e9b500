import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { DatabaseIdentity } from '../../../domain/ports/sync/sync-notes.js';
import { isUnencrypted } from '../is-unencrypted.js';
import { queryRow, queryRows } from './query-rows.js';

/** The change capture creates it. */
const IDENTITY = 'content_sync_identity';

/** A double holds this many hexadecimal digits exactly. */
const DIGITS = 12;

/**
 * A replicated row identifies the database. Its server has a number, a time at which it started,
 * and a creation time of the table.
 */
export async function mysqlIdentity(database: Knex): Promise<DatabaseIdentity> {
  const { server, isReadOnly, version } = await queryRow<Record<'server' | 'isReadOnly' | 'version', string>>(
    database,
    'select @@server_id as server, @@global.read_only as isReadOnly, version() as version',
  );
  if (isReadOnly !== '0') {
    throw new Error(
      "The dashboard's server accepts no writes (read_only): it is a replica, or is about to become one. Set WRITE_DATABASE_URL to the primary.",
    );
  }
  const { identity } = await queryRow<{ identity: string }>(
    database,
    `select identity from ${IDENTITY} where only_one = 1`,
  );
  const [unique] = await queryRows<{ Value: string }>(database, `show variables like 'server_uuid'`);
  const { madeAt } = await queryRow<{ madeAt: string }>(
    database,
    `select create_time as madeAt from information_schema.tables
     where table_schema = database() and table_name = '${IDENTITY}'`,
  );
  // Both times are those of this statement, so that their difference is always the same.
  const { startedAt } = await queryRow<{ startedAt: string }>(
    database,
    `select unix_timestamp() - cast(variable_value as decimal(30)) as startedAt
     from ${isMariaDb(version) ? 'information_schema' : 'performance_schema'}.global_status
     where variable_name = 'Uptime'`,
  );
  const text = `${server} ${unique?.Value} ${madeAt} ${startedAt}`;
  const timeline = createHash('sha256').update(text).digest('hex').slice(0, DIGITS);
  return { systemIdentifier: identity, databaseOid: '0', timeline: Number.parseInt(timeline, 16) };
}

/** The product and its version, such as 10.11.6. */
export async function mysqlServer(database: Knex) {
  const version = await mysqlVersion(database);
  return {
    product: isMariaDb(version) ? 'MariaDB' : 'MySQL',
    version: version.split('-')[0] ?? '',
    isUnencrypted: await isUnencrypted(database),
  } as const;
}

export async function mysqlVersion(database: Knex): Promise<string> {
  return (await queryRow<{ version: string }>(database, 'select version() as version')).version;
}

/** False: MySQL, whose dictionary has other tables. `version`: as the server reports it. */
export function isMariaDb(version: string): boolean {
  return version.includes('MariaDB');
}
