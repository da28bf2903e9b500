import type { Knex } from 'knex';
import type { DashboardMapping } from '../../mapping/dashboard-mapping.js';
import { prepared } from './prepared.js';
import { tableName } from './quoted.js';

/** A table that was read has different storage than when the snapshot was taken. */
export class TableReplaced extends Error {
  override readonly name = 'TableReplaced';
}

/**
 * A name is resolved as of now, and rows are read as of the snapshot: a table that was replaced
 * since looks empty.
 */
const SAME_TABLES = `
  with recursive named as (
    select to_regclass(format('%I.%I', schema, name))::oid as present, pg_class.oid, relfilenode
    from unnest(:schemas::text[], :names::text[]) as asked (schema, name)
      left join pg_class on relnamespace = (select oid from pg_namespace where nspname = schema) and relname = name
  ), stored as (
    select oid, relfilenode from named where oid is not null
    union
    select child.oid, child.relfilenode
    from stored as parent join pg_inherits on inhparent = parent.oid join pg_class as child on child.oid = inhrelid
  )
  select not exists (select from named where present is distinct from oid)
    and not exists (select from stored where coalesce(pg_relation_filenode(oid), 0) <> relfilenode) as same`;

/** Of all tables that the selects read, which are those that are captured. */
export async function requireSameTables(snapshot: Knex, { captures }: DashboardMapping): Promise<void> {
  const tables = captures.map(({ table }) => tableName(table));
  const { rows }: { rows: { same: boolean }[] } = await snapshot
    .raw(SAME_TABLES, {
      schemas: tables.map(({ schema }) => schema),
      names: tables.map(({ name }) => name),
    })
    .options(prepared('same_tables'));
  if (rows[0]?.same !== true)
    throw new TableReplaced('A table of the dashboard was replaced while it was read');
}
