import type { Knex } from 'knex';
import { type ChangeQueue, MAX_COUNTED_CHANGES } from '../../../../domain/model/capture.js';
import { queryRow, queryRows } from '../read/query-rows.js';
import { PREFIX } from './note-function.js';

export async function changeQueue(database: Knex): Promise<ChangeQueue> {
  const { length, lag } = await queryRow<{ length: string; lag: string | null }>(
    database,
    `select count(*) as length, timestampdiff(microsecond, min(at), sysdate(6)) as lag
     from (select at from ${PREFIX}changes order by id limit ${MAX_COUNTED_CHANGES + 1}) as oldest`,
  );
  return {
    length: Number(length),
    lagMs: lag === null ? null : Math.max(0, Math.round(Number(lag) / 1_000)),
  };
}

export async function isCaptureInstalled(database: Knex): Promise<boolean> {
  const rows = await queryRows(
    database,
    `select 1 from information_schema.tables where table_schema = database() and table_name = '${PREFIX}changes'`,
  );
  return rows.length > 0;
}

/** The last waiting change; null: there is none. */
export async function newestChange(database: Knex): Promise<bigint | null> {
  return idOf(database, `select max(id) as id from ${PREFIX}changes`);
}

export async function oldestChange(database: Knex, from: bigint): Promise<bigint | null> {
  return idOf(database, `select min(id) as id from ${PREFIX}changes where id >= ${from}`);
}

async function idOf(database: Knex, statement: string): Promise<bigint | null> {
  const { id } = await queryRow<{ id: string | null }>(database, statement);
  return id === null ? null : BigInt(id);
}
