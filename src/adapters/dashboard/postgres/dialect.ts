import type { Knex } from 'knex';
import type { RowKind } from '../../../domain/model/read-model.js';
import {
  type Described,
  LINKS_TO,
  SourceDialect,
  type StatementForIds,
  type Stored,
  type TermKind,
  TIME_FIELDS,
} from '../source/source-dialect.js';
import { describedSelect } from './read/described-select.js';
import { type MappedTables, mappedTables, writtenIn } from './read/mapped-tables.js';
import { isOutdated, prepared, preparedForFew, renamePrepared } from './read/prepared.js';
import { queryRows, rejectionIn, run } from './read/query-rows.js';
import { type TableName, tableName } from './read/quoted.js';

export class Dialect extends SourceDialect<MappedTables> {
  readonly snapshotMode = { isolationLevel: 'repeatable read', readOnly: true } as const;
  /** All tables that the selects read. */
  readonly #captured = this.mapping.captures.map(({ table }) => tableName(table));

  describe = describedSelect;

  tablesOf(columnsOf: Described): MappedTables {
    return mappedTables(this.mapping, columnsOf);
  }

  query(database: Knex, statement: string): Promise<readonly Stored[]> {
    return queryRows(database, statement);
  }

  async rows(
    database: Knex,
    { idType }: MappedTables,
    { name, source, sql }: StatementForIds,
    requested: readonly string[],
  ): Promise<readonly Stored[]> {
    const type = idType[source];
    const ids = writtenIn(type, requested);
    const statement = sql(`mapped.id = any($1::${type}[])`);
    return (await run<Stored>(database, statement, [ids], preparedForFew(name, statement, ids))).rows;
  }

  links(tables: MappedTables, kind: TermKind): StatementForIds {
    const { source, column } = LINKS_TO[kind];
    const terms = `select term.id::text from ${tables.table(source, 'link')}
      join ${tables.table(kind, 'term')} on term.id = link.${column} where link.blog_id = asked.id`;
    return {
      name: `links_to_${kind}`,
      source: 'blogs',
      sql: () =>
        `select asked.id::text as "blogId", unnest(array(${terms})) as "termId" from unnest($1::${tables.idType.blogs}[]) as asked (id)`,
    };
  }

  convert(_tables: MappedTables, _kind: RowKind, row: Stored): null {
    for (const field of TIME_FIELDS) if (field in row) row[field] = toMillis(row[field]);
    return null;
  }

  rejectionIn = rejectionIn;

  isSnapshotOutdated(error: unknown): boolean {
    if (!isOutdated(error)) return error instanceof TableReplaced;
    renamePrepared();
    this.forgetTables();
    return true;
  }

  requireSameTables(snapshot: Knex): Promise<void> {
    return requireSameTables(snapshot, this.#captured);
  }
}

/** The driver cuts times to milliseconds. `infinity` and times after the year 275760 are never. */
function toMillis(time: unknown): number | null {
  if (time === null) return null;
  return Number.isNaN(Number(time)) ? Number.POSITIVE_INFINITY : Number(time);
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

/** To be called after rows were read, before missing rows count as deleted. */
export async function requireSameTables(snapshot: Knex, tables: readonly TableName[]): Promise<void> {
  const { rows }: { rows: { same: boolean }[] } = await snapshot
    .raw(SAME_TABLES, {
      schemas: tables.map(({ schema }) => schema),
      names: tables.map(({ name }) => name),
    })
    .options(prepared('same_tables'));
  if (rows[0]?.same !== true)
    throw new TableReplaced('A table of the dashboard was replaced while it was read');
}
