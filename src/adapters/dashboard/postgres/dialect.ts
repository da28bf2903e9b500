import type { Knex } from 'knex';
import { SourceTooSlow } from '../../../domain/errors.js';
import type { RowKind } from '../../../domain/model/read-model.js';
import { type DashboardMapping, presentSelects, type SourceName } from '../mapping/dashboard-mapping.js';
import {
  READ_BY,
  type Read,
  type Snapshot,
  type SourceDialect,
  type Stored,
  type Walk,
} from '../source/source-dialect.js';
import type { StatementForIds } from '../source/source-statements.js';
import { LINKS_TO, type TermKind } from '../source/source-tables.js';
import { checkColumns } from './checks/check-columns.js';
import { refusedKeys } from './checks/refused-keys.js';
import { tryToDescribe } from './checks/try-to-describe.js';
import { type Described, describedSelects } from './read/described-select.js';
import { isTimeOver } from './read/is-time-over.js';
import { nextKeysIn } from './read/keys-in-scope.js';
import { limitedBySize } from './read/limited-by-size.js';
import { type MappedTables, mappedTables } from './read/mapped-tables.js';
import { writtenIn } from './read/native-ids.js';
import { isOutdated, preparedForFew, preparedGeneration, renamePrepared } from './read/prepared.js';
import { runStatement, Values } from './read/run-statement.js';
import { requireSameTables, TableReplaced } from './read/same-tables.js';
import { type TableName, tableName } from './read/table-name.js';

/**
 * Errors whose cause is not a row: connections (08), conflicts (40), resources (53), operators (57), files (58), a locked table. A function
 * that a select calls can raise any other error.
 */
const NOT_OF_A_ROW = /^(08|40|53|57|58|55P03)/;
const SQLSTATE = /^[0-9A-Z]{5}$/;
const TIMES = ['publishedAt', 'expiresAt', 'revokedAt'];

/**
 * How a connection reads the dashboard. Only the selects of the current read are described, once, and again when statements have to be
 * prepared again. Others are not described: a locked table or an invalid select must not keep a revoked key valid.
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
    const described = Object.fromEntries(selects.map(({ name }, index) => [name, columns[index]]));
    const { errors } = checkColumns(this.mapping, described);
    if (errors.length > 0) throw new Error(`The mapping does not fit the tables: ${errors.join('; ')}`);
    const tables = mappedTables(this.mapping, described, READ_BY[read]);
    this.#tables.set(read, tables);
    return tables;
  }

  /**
   * Finds selects and keys that PostgreSQL no longer accepts, and columns whose type has become unsuitable: with a status that is not
   * text, for example, no blog would be shown. If a column has another suitable type, it may hold ids that it could not hold before, so it
   * is read again.
   */
  async refresh(database: Knex): Promise<readonly string[]> {
    const { described, refusals } = await tryToDescribe(database, presentSelects(this.mapping));
    if ([...this.#tables].some(([read, tables]) => this.#isOther(read, tables, described))) renamePrepared();
    const reported = new Set(refusals.map(({ message }) => message));
    return [
      ...refusals.map(({ name, message }) => `${name}: ${message}`),
      ...checkColumns(this.mapping, described).errors,
      ...(await refusedKeys(database, this.mapping, reported)),
    ];
  }

  #isOther(read: Read, tables: MappedTables, described: Described): boolean {
    const sources = READ_BY[read];
    if (!sources.every((name) => this.mapping.selects[name] === null || name in described)) return false;
    return JSON.stringify(mappedTables(this.mapping, described, sources)) !== JSON.stringify(tables);
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

/**
 * The driver reads times to the millisecond and cuts finer digits. `infinity` arrives as a number. Times after JavaScript's last date, in
 * the year 275760, count as never.
 */
function toMillis(time: unknown): number | null {
  if (time === null) return null;
  return Number.isNaN(Number(time)) ? Number.POSITIVE_INFINITY : Number(time);
}
