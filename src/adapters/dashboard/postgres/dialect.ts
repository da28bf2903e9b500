import type { Knex } from 'knex';
import type { Fault } from '../../../domain/errors.js';
import { faultOf } from '../../sql/postgres/fault-of.js';
import { type Described, SourceDialect } from '../source/source-dialect.js';
import { describedSelect } from './read/described-select.js';
import { MappedTables } from './read/mapped-tables.js';
import { isOutdated, prepared, renamePrepared } from './read/prepared.js';
import { isDenied, isReadOnly, queryRows, reasonIn } from './read/query-rows.js';
import { tableName } from './read/quoted.js';

export class Dialect extends SourceDialect {
  protected readonly snapshotMode = { isolationLevel: 'repeatable read', readOnly: true } as const;
  /** All tables that the selects read. */
  readonly #captured = this.mapping.captures.map(({ table }) => tableName(table));

  readonly describe = describedSelect;
  readonly query = queryRows;
  readonly reasonIn = reasonIn;
  readonly isDenied = isDenied;

  /** A snapshot is only read: a function that writes is no outage. */
  faultOf(error: unknown): Fault | null {
    if (isOutdated(error)) return 'outage';
    return isReadOnly(error) ? 'row' : faultOf(error);
  }

  tablesOf(columnsOf: Described): MappedTables {
    return new MappedTables(this.mapping, columnsOf);
  }

  protected isSnapshotOutdated(error: unknown): boolean {
    if (!isOutdated(error)) return error instanceof TableReplaced;
    renamePrepared();
    this.forgetTables();
    return true;
  }

  async requireSameTables(snapshot: Knex): Promise<void> {
    const { rows }: { rows: { same: boolean }[] } = await snapshot
      .raw(SAME_TABLES, {
        schemas: this.#captured.map(({ schema }) => schema),
        names: this.#captured.map(({ name }) => name),
      })
      .options(prepared('same_tables'));
    if (rows[0]?.same !== true)
      throw new TableReplaced('A table of the dashboard was replaced while it was read');
  }
}

/** A table that was read has different storage than when the snapshot was taken. */
class TableReplaced extends Error {
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
