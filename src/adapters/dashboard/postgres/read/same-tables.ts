import type { Knex } from 'knex';
import { prepared } from './prepared.js';
import type { TableName } from './table-name.js';

/** A table that was read has different storage than when the snapshot was taken. */
export class TableReplaced extends Error {
  override readonly name = 'TableReplaced';

  constructor() {
    super(
      'A table of the dashboard was replaced, rewritten or truncated while it was read. It is read again.',
    );
  }
}

/**
 * PostgreSQL resolves the name of a table as of now, but reads its rows as of the snapshot. A table that was replaced, rewritten or
 * truncated after the snapshot looks empty, as if its rows were deleted. Returns whether no table is in this state.
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

/** To be called after rows were read, before missing rows count as deleted. */
export async function requireSameTables(snapshot: Knex, tables: readonly TableName[]): Promise<void> {
  const { rows }: { rows: { same: boolean }[] } = await snapshot
    .raw(SAME_TABLES, {
      schemas: tables.map(({ schema }) => schema),
      names: tables.map(({ name }) => name),
    })
    .options(prepared('same_tables'));
  if (rows[0]?.same !== true) throw new TableReplaced();
}
