import type { RowKind } from '../../../domain/model/read-model.js';
import { SHOWN_STATUS } from '../../../domain/model/source.js';
import { shortened } from '../../../domain/policies/row-limits.js';
import {
  type CapturedTable,
  type DashboardMapping,
  presentSelects,
  type SourceName,
} from '../mapping/dashboard-mapping.js';
import { columnProblems, type JudgeType, unusedColumns } from '../mapping/mapped-columns.js';
import { FINDINGS, type MappingFindings, uncapturedChanges } from '../mapping/mapping-findings.js';
import { SOURCE_OF, type SourceTables, type Stored, type Walk } from './source-dialect.js';
import { rowsStatement, sizesStatement } from './source-statements.js';

const KINDS = Object.keys(SOURCE_OF) as RowKind[];
const SCOPES = ['websites', 'categories', 'tags'] as const;
/** A key for plans. */
const ANY_KEY = '0';
const SHOWN_IDS = 3;
const MAX_STATUSES = 10;

/** The columns of the selects that the server accepts. */
type Described<Column> = Readonly<Partial<Record<SourceName, readonly Column[]>>>;

/** A table that a select reads, and its capture; null: it has none. */
interface ReadTable {
  readonly table: string;
  readonly capture: CapturedTable | null;
}

/** What the check of a mapping asks of one engine. Whatever the server refuses is an error. */
interface EngineChecks<Column extends { readonly name: string }, Tables extends SourceTables> {
  hasTimeZone(zone: string): Promise<boolean>;
  describe(select: string): Promise<readonly Column[]>;
  judge(columns: readonly Column[]): JudgeType;
  /** Tables that cannot be captured, and keys that fail. */
  checkCaptures(columnsOf: Described<Column>): Promise<readonly string[]>;
  tablesReadBy(select: string): Promise<readonly ReadTable[]>;
  checkClock(source: SourceName, select: string): Promise<readonly string[]>;
  /** Reads and changes nothing. A number may arrive as text. */
  query(statement: string): Promise<readonly Stored[]>;
  tables(columnsOf: Described<Column>): Tables;
  /** The large tables of which a step of a walk reads all rows. */
  scannedBy(walk: Walk, tables: Tables): Promise<readonly string[]>;
  /** Why the server refused something. Throws errors of the moment. */
  refusalIn(error: unknown): string;
  /** An id as text. */
  textOf(id: string): string;
  /** The condition that `key_hash` is not 64 lower-case hex digits. */
  readonly isNoHash: string;
}

/** Tries every select and key before anything is created, save what depends on a wrong part. */
export async function checkMapping<Column extends { readonly name: string }, Tables extends SourceTables>(
  mapping: DashboardMapping,
  engine: EngineChecks<Column, Tables>,
): Promise<MappingFindings> {
  const columnsOf: Partial<Record<SourceName, readonly Column[]>> = {};
  const errors: string[] = [];
  const warnings: string[] = [];
  const { timeZone } = mapping;
  if (timeZone !== null && !(await engine.hasTimeZone(timeZone))) errors.push(FINDINGS.unknownZone(timeZone));
  for (const { name: source, select } of presentSelects(mapping)) {
    try {
      const columns = await engine.describe(select);
      columnsOf[source] = columns;
      const names = columns.map(({ name }) => name);
      errors.push(...columnProblems(source, names, engine.judge(columns)));
      warnings.push(...unusedColumns(source, names));
    } catch (error) {
      errors.push(FINDINGS.selectFails(source, engine.refusalIn(error)));
    }
  }
  errors.push(...(await engine.checkCaptures(columnsOf)));
  if (errors.length > 0) return { errors, warnings };
  try {
    const reads = await checkReads(mapping, engine);
    const joins = await checkJoins(engine, engine.tables(columnsOf));
    const failing = [...reads.errors, ...joins.errors];
    errors.push(...failing, ...(await checkIds(mapping, engine)));
    warnings.push(...reads.warnings, ...joins.warnings, ...(await checkValues(mapping, engine)));
  } catch (error) {
    errors.push(FINDINGS.selectsFail(engine.refusalIn(error)));
  }
  return { errors, warnings };
}

type Engine = Pick<
  EngineChecks<never, never>,
  'tablesReadBy' | 'checkClock' | 'query' | 'textOf' | 'isNoHash'
>;

/**
 * Tables whose changes are not captured, or not for the content of a select that reads them; and
 * selects that read the clock.
 */
async function checkReads(mapping: DashboardMapping, engine: Engine): Promise<MappingFindings> {
  const errors: string[] = [];
  const warnings = new Set<string>();
  for (const { name: source, select } of presentSelects(mapping)) {
    for (const { table, capture } of await engine.tablesReadBy(select)) {
      const uncaptured = capture === null ? null : uncapturedChanges(source, capture);
      if (capture === null) errors.push(FINDINGS.uncapturedTable(source, table));
      if (uncaptured !== null) warnings.add(uncaptured);
    }
    errors.push(...(await engine.checkClock(source, select)));
  }
  return { errors: [...new Set(errors)], warnings: [...warnings] };
}

/** Selects that fail in the statements of the worker, or without an index for them. */
async function checkJoins<Tables extends SourceTables>(
  engine: Pick<EngineChecks<never, Tables>, 'query' | 'scannedBy' | 'refusalIn'>,
  tables: Tables,
): Promise<MappingFindings> {
  const errors = new Set<string>();
  const warnings: string[] = [];
  for (const kind of KINDS) {
    const source = SOURCE_OF[kind];
    try {
      for (const statementOf of [sizesStatement, rowsStatement])
        await engine.query(statementOf(tables, kind).sql('false'));
      const scope = { of: 'everything' } as const;
      for (const table of await engine.scannedBy({ scope, kind, after: ANY_KEY, limit: 100 }, tables))
        warnings.push(FINDINGS.walkScans(source, table));
      for (const of of SCOPES) {
        const walk = { scope: { of, keys: [ANY_KEY] }, kind, after: null, limit: 100 };
        for (const table of await engine.scannedBy(walk, tables))
          warnings.push(FINDINGS.fanOutScans(source, of, table));
      }
    } catch (error) {
      errors.add(FINDINGS.joinFails(source, engine.refusalIn(error)));
    }
  }
  return { errors: [...errors], warnings };
}

/** Ids that are null or not unique. Reads all ids. */
async function checkIds(mapping: DashboardMapping, { query, textOf }: Engine): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { name: source, select } of presentSelects(mapping)) {
    if (source.startsWith('blog_')) continue;
    const rows = await query(
      `select min(${textOf('mapped.id')}) as id, count(*) as many from (\n${select}\n) as mapped
       group by mapped.id having count(*) > 1 or mapped.id is null
       order by case when mapped.id is null then 0 else 1 end, mapped.id limit ${SHOWN_IDS}`,
    );
    for (const { id, many } of rows) {
      problems.push(
        id === null
          ? FINDINGS.idIsNull(source, Number(many))
          : FINDINGS.severalRows(source, String(id), Number(many)),
      );
    }
  }
  return problems;
}

/**
 * Values that the types of their columns allow, and with which the API shows nothing: nothing else
 * would report them.
 */
async function checkValues(
  { selects: { blogs, api_keys } }: DashboardMapping,
  engine: Engine,
): Promise<readonly string[]> {
  return [
    ...(blogs === null ? [] : await checkStatuses(blogs, engine)),
    ...(api_keys === null ? [] : await checkHashes(api_keys, engine)),
  ];
}

async function checkStatuses(select: string, { query }: Engine): Promise<readonly string[]> {
  const rows = await query(
    `select status, count(*) as many from (\n${select}\n) as mapped group by status order by 2 desc`,
  );
  if (rows.length === 0 || rows.some(({ status }) => status === SHOWN_STATUS)) return [];
  const statuses = rows.slice(0, MAX_STATUSES).map(({ status, many }) => `${wordOf(status)} in ${many}`);
  return [FINDINGS.nothingPublished(rows.length > MAX_STATUSES ? [...statuses, '…'] : statuses)];
}

async function checkHashes(select: string, { query, isNoHash }: Engine): Promise<readonly string[]> {
  const mapped = `(\n${select}\n) as mapped`;
  const [{ wrong } = { wrong: 0 }] = await query(`select count(*) as wrong from ${mapped} where ${isNoHash}`);
  const [twice] = await query(
    `select min(id) as one, max(id) as other, count(*) as many from ${mapped} where not ${isNoHash} group by key_hash having count(*) > 1 order by 1 limit 1`,
  );
  return [
    ...(Number(wrong) === 0 ? [] : [FINDINGS.noHash(Number(wrong))]),
    ...(twice === undefined
      ? []
      : [
          FINDINGS.sameHash(Number(twice.many), shortened(String(twice.one)), shortened(String(twice.other))),
        ]),
  ];
}

function wordOf(status: unknown): string {
  return status === null ? 'null' : `'${shortened(String(status))}'`;
}
