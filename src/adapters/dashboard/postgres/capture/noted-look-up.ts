import type { Knex } from 'knex';
import { queryRows } from '../../../sql/postgres/query-rows.js';
import { LOOK_UP, type LookUps } from '../../source/look-ups.js';
import { literal, quoted, quotedTable, tableName } from '../read/quoted.js';
import { columnsIn } from './changed-row.js';

/** The kind and the key of a noted look-up: `["public.users", "blogs", {"id": 7}]`. */
export function notedLookup(kind: string, select: string, table: string): string {
  const columns = columnsIn(select);
  const values = columns?.map((column) => `${literal(column)}, changed.${quoted(column)}`);
  const row = values === undefined ? 'to_jsonb(changed)' : `jsonb_build_object(${values.join(', ')})`;
  return `'${LOOK_UP}'::text, jsonb_build_array(${literal(table)}, '${kind}', ${row})::text collate "C"`;
}

/** A select of `row_key` and `at`. */
export async function keysFound(database: Knex, { table, select, noted }: LookUps): Promise<string> {
  const keys = noted.map(({ key }) => literal(key));
  const times = noted.map(({ changedAt }) => literal(changedAt));
  // Names with a space, so that the select cannot mean them.
  return `select looked_up.key::text collate "C" as row_key, "the look-up"."its time" as at
    from unnest(array[${keys.join(', ')}]::jsonb[], array[${times.join(', ')}]::timestamptz[])
        as "the look-up" ("its key", "its time")
      cross join lateral jsonb_to_record("the look-up"."its key" -> 2) as changed (${await columnsOf(database, table, select)})
      cross join lateral (\n${select}\n) as looked_up (key)`;
}

/** Of the changed row, with their present types. */
async function columnsOf(database: Knex, table: string, select: string): Promise<string> {
  const names = columnsIn(select)?.map(literal);
  const isNamed = names === undefined ? '' : ` and attname = any(array[${names.join(', ')}]::text[])`;
  const [row] = await queryRows<{ columns: string | null }>(
    database,
    `select string_agg(format('%I %s%s', attname, format_type(atttypid, atttypmod), (
        select format(' collate %I.%I', nspname, collname) from pg_collation join pg_namespace on pg_namespace.oid = collnamespace
        where pg_collation.oid = attcollation and collname <> 'default')), ', ') as columns
      from pg_attribute
      where attrelid = to_regclass(${literal(quotedTable(tableName(table)))}) and attnum > 0 and not attisdropped${isNamed}`,
  );
  return row?.columns ?? 'nothing text';
}
