import type { Knex } from 'knex';
import { SourceTooSlow } from '../../../domain/errors.js';
import type { RowKind } from '../../../domain/model/read-model.js';
import { type DashboardMapping, presentSelects, type SourceName } from '../mapping/dashboard-mapping.js';
import {
  LINKS_TO,
  READ_BY,
  type Read,
  type Snapshot,
  type SourceDialect,
  type StatementForIds,
  type Stored,
  type TermKind,
  type Walk,
} from '../source/source-dialect.js';
import { refusedKeys } from './checks/check-captures.js';
import { checkColumns } from './checks/check-columns.js';
import { type Described, describedSelects, tryToDescribe } from './read/described-select.js';
import { nextKeysIn } from './read/keys-in-scope.js';
import { type MappedTables, mappedTables, writtenIn } from './read/mapped-tables.js';
import { isOutdated, prepared, preparedForFew, preparedGeneration, renamePrepared } from './read/prepared.js';
import { isTimeOver, limitedBySize, runStatement, Values } from './read/query-rows.js';
import { type TableName, tableName } from './read/quoted.js';

/**
 * Errors whose cause is not a row: connections (08), conflicts (40), resources (53), operators
 * (57), files (58), locks.
 */
const NOT_OF_A_ROW = /^(08|40|53|57|58|55P03)/;
const SQLSTATE = /^[0-9A-Z]{5}$/;
const TIMES = ['publishedAt', 'expiresAt', 'revokedAt'];

/**
 * How a connection reads the dashboard. Only the selects of a read are described: a locked table
 * must not keep a revoked key valid.
 */
export class Dialect implements SourceDialect<MappedTables> {
  readonly snapshotMode = { isolationLevel: 'repeatable read', readOnly: true } as const;
  /** All tables that the selects read. */
  readonly #captured: readonly TableName[];
  readonly #tables = new Map<Read, MappedTables>();
  #generation = preparedGeneration();

  constructor(private readonly mapping: DashboardMapping) {
    this.#captured = mapping.captures.map(({ table }) => tableName(table));
  }

  async tables(database: Knex, read: Read): Promise<MappedTables> {
    if (this.#generation !== preparedGeneration()) this.#tables.clear();
    this.#generation = preparedGeneration();
    const cachedTables = this.#tables.get(read);
    if (cachedTables !== undefined) return cachedTables;
    const selects = presentSelects(this.mapping).filter(({ name }) => isIn(READ_BY[read], name));
    const columns = await describedSelects(
      database,
      selects.map(({ select }) => select),
    );
    const columnsOf = Object.fromEntries(selects.map(({ name }, index) => [name, columns[index]]));
    const errors = checkColumns(this.mapping, columnsOf);
    if (errors.length > 0) throw new Error(`The mapping does not fit the tables: ${errors.join('; ')}`);
    const tables = mappedTables(this.mapping, columnsOf, READ_BY[read]);
    this.#tables.set(read, tables);
    return tables;
  }

  /**
   * Finds selects and keys that PostgreSQL no longer accepts, and columns whose type has become
   * unsuitable: with a status that is not text, no blog would be shown.
   */
  async refresh(database: Knex): Promise<readonly string[]> {
    const { columnsOf, refusals } = await tryToDescribe(database, presentSelects(this.mapping));
    if ([...this.#tables].some(([read, tables]) => this.#isOther(read, tables, columnsOf))) renamePrepared();
    const reported = new Set(refusals.map(({ message }) => message));
    return [
      ...refusals.map(({ name, message }) => `${name}: ${message}`),
      ...checkColumns(this.mapping, columnsOf),
      ...(await refusedKeys(database, this.mapping, reported)),
    ];
  }

  #isOther(read: Read, tables: MappedTables, columnsOf: Described): boolean {
    const sources = READ_BY[read];
    if (!sources.every((name) => this.mapping.selects[name] === null || name in columnsOf)) return false;
    return JSON.stringify(mappedTables(this.mapping, columnsOf, sources)) !== JSON.stringify(tables);
  }

  async query(database: Knex, statement: string): Promise<readonly Stored[]> {
    return (await runStatement<Stored>(database, statement)).rows;
  }

  async rows(
    { database, outlivesFailures }: Snapshot,
    { idType }: MappedTables,
    { name, source, sql }: StatementForIds,
    requested: readonly string[],
  ): Promise<readonly Stored[]> {
    const type = idType[source];
    const ids = writtenIn(type, requested);
    const statement = sql(`mapped.id = any($1::${type}[])`);
    const read = (on: Knex) => runStatement<Stored>(on, statement, [ids], preparedForFew(name, ids));
    try {
      return (await (outlivesFailures ? database.transaction(read) : read(database))).rows;
    } catch (error) {
      throw isTimeOver(error) ? new SourceTooSlow(error.message, { cause: error }) : error;
    }
  }

  async nextKeys(database: Knex, tables: MappedTables, walk: Walk): Promise<readonly string[]> {
    const values = new Values();
    const next = nextKeysIn(walk, tables, values);
    if (next === null) return [];
    const statement = limitedBySize(next, 'key', 'id');
    const { rows } = await runStatement<{ key: string }>(database, statement, values.list);
    return rows.map(({ key }) => key);
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
    for (const field of TIMES) if (field in row) row[field] = toMillis(row[field]);
    return null;
  }

  rejectionIn(error: unknown): string | null {
    if (!(error instanceof Error && 'code' in error) || isOutdated(error)) return null;
    const code = String(error.code);
    return SQLSTATE.test(code) && !NOT_OF_A_ROW.test(code) ? error.message : null;
  }

  isSnapshotOutdated(error: unknown): boolean {
    if (!isOutdated(error)) return error instanceof TableReplaced;
    renamePrepared();
    return true;
  }

  requireSameTables(snapshot: Knex): Promise<void> {
    return requireSameTables(snapshot, this.#captured);
  }
}

function isIn(sources: readonly SourceName[], name: SourceName): boolean {
  return sources.includes(name);
}

/** The driver cuts times to milliseconds. `infinity` and times after the year 275760 are never. */
function toMillis(time: unknown): number | null {
  if (time === null) return null;
  return Number.isNaN(Number(time)) ? Number.POSITIVE_INFINITY : Number(time);
}

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
  if (rows[0]?.same !== true) throw new TableReplaced();
}
