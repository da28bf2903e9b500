import type { Knex } from 'knex';
import type { Snapshot } from '../source/readable-rows.js';
import { isOutdated, prepared, renamePrepared } from './prepared.js';
import { rejectionIn } from './readable-rows.js';
import type { TableName } from './table-name.js';

const ATTEMPTS = 5;

/** A table that was read has different storage than when the snapshot was taken. */
class TableReplaced extends Error {
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

/**
 * Reads from one snapshot. The reads restart if a table was replaced after the snapshot, or if a statement has to be prepared again. If a
 * row cannot be read, which is rare, they restart in a snapshot that survives such failures.
 */
export async function inSnapshot<Seen>(
  database: Knex,
  see: (snapshot: Snapshot) => Promise<Seen>,
): Promise<Seen> {
  let outlivesFailures = false;
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.transaction((snapshot) => see({ database: snapshot, outlivesFailures }), {
        isolationLevel: 'repeatable read',
        readOnly: true,
      });
    } catch (error) {
      const isPlanOutdated = isOutdated(error);
      if (isPlanOutdated) renamePrepared();
      const isFirstUnreadable = !outlivesFailures && rejectionIn(error) !== null;
      if (isFirstUnreadable) outlivesFailures = true;
      const isAnotherTry = isPlanOutdated || isFirstUnreadable || error instanceof TableReplaced;
      if (!isAnotherTry || attempt === ATTEMPTS) throw error;
    }
  }
}

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
