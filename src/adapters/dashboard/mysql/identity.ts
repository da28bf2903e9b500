import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { DatabaseIdentity } from '../../../domain/policies/database-change.js';
import { PREFIX } from './capture/note-function.js';
import { queryRow, queryRows } from './read/query-rows.js';

/** A double holds this many hexadecimal digits exactly. */
const DIGITS = 12;

/** A server that refuses writes. */
export class ReadOnlyServer extends Error {
  override readonly name = 'ReadOnlyServer';

  constructor() {
    super(
      "The dashboard's server accepts no writes (read_only): it is a replica, or is about to become one. Set WRITE_DATABASE_URL to the primary.",
    );
  }
}

/**
 * A row that is created with the change capture, and replicated, identifies the database. Two facts identify the server: the number that
 * every replicated server has, and the creation time of its table with that row.
 */
export async function mysqlIdentity(database: Knex): Promise<DatabaseIdentity> {
  const { server, isReadOnly } = await queryRow<{ server: string; isReadOnly: string }>(
    database,
    'select @@server_id as server, @@global.read_only as isReadOnly',
  );
  if (isReadOnly !== '0') throw new ReadOnlyServer();
  const { identity } = await queryRow<{ identity: string }>(
    database,
    `select identity from ${PREFIX}identity where only_one = 1`,
  );
  const [unique] = await queryRows<{ Value: string }>(database, `show variables like 'server_uuid'`);
  const { madeAt } = await queryRow<{ madeAt: string }>(
    database,
    `select create_time as madeAt from information_schema.tables
     where table_schema = database() and table_name = '${PREFIX}identity'`,
  );
  const described = `${server} ${unique?.Value} ${madeAt}`;
  const timeline = createHash('sha256').update(described).digest('hex').slice(0, DIGITS);
  return { systemIdentifier: identity, databaseOid: '0', timeline: Number.parseInt(timeline, 16) };
}
