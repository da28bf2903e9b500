import type { RowKind } from '../../../domain/model/read-model.js';
import { SHOWN_STATUS } from '../../../domain/model/source.js';
import { shortened } from '../../../domain/policies/row-limits.js';
import {
  type CapturedKind,
  type CapturedTable,
  type DashboardMapping,
  presentSelects,
  type SourceName,
} from '../mapping/dashboard-mapping.js';
import { columnProblems, type JudgeType, unusedColumns } from '../mapping/mapped-columns.js';
import { FINDINGS, type MappingFindings, uncapturedChanges } from '../mapping/mapping-findings.js';
import { LINKS_TO, SOURCE_OF, type SourceTables, type Stored, TERM_KINDS } from './source-dialect.js';
import { rowsStatement, sizesStatement } from './source-statements.js';

const KINDS = Object.keys(SOURCE_OF) as RowKind[];
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
  /** Why a captured table cannot be captured; null: it can. */
  tableProblem(captured: CapturedTable): Promise<string | null>;
  /** Tries a key on the rows of its table. Returns why it does not fit the ids; null: it does. */
  keyProblem(
    captured: CapturedTable,
    kind: CapturedKind,
    key: string,
    columnsOf: Described<Column>,
  ): Promise<string | null>;
  /** What is wrong with captured tables in their relation to others. */
  relationProblems(): Promise<readonly string[]>;
  tablesReadBy(select: string): Promise<readonly ReadTable[]>;
  /** Reads and changes nothing. A number may arrive as text. */
  query(statement: string): Promise<readonly Stored[]>;
  tables(columnsOf: Described<Column>): Tables;
  /** Why the server refused something. Throws errors of the moment. */
  refusalIn(error: unknown): string;
  /** An id as text. */
  textOf(id: string): string;
  /** The condition that `key_hash` is not 64 lower-case hex digits. */
  readonly isNoHash: string;
  /** Texts, quoted names and comments of a select. */
  readonly noCode: RegExp;
  /** What returns another value each time: functions, and words that call one. */
  readonly clock: { readonly functions: readonly string[]; readonly words: readonly string[] };
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
  for (const captured of mapping.captures) errors.push(...(await checkCapture(captured, columnsOf, engine)));
  errors.push(...(await engine.relationProblems()));
  if (errors.length > 0) return { errors, warnings };
  try {
    const reads = await checkReads(mapping, engine);
    const joins = await checkJoins(engine, engine.tables(columnsOf));
    errors.push(...reads.errors, ...joins, ...(await checkIds(mapping, engine)));
    warnings.push(...reads.warnings, ...(await checkValues(mapping, engine)));
  } catch (error) {
    errors.push(FINDINGS.selectsFail(engine.refusalIn(error)));
  }
  return { errors, warnings };
}

/** Whether a captured table exists, and its keys can be found. */
async function checkCapture<Column extends { readonly name: string }>(
  captured: CapturedTable,
  columnsOf: Described<Column>,
  engine: Pick<EngineChecks<Column, never>, 'tableProblem' | 'keyProblem' | 'refusalIn'>,
): Promise<readonly string[]> {
  const { table, touches } = captured;
  const problem = await engine.tableProblem(captured);
  if (problem !== null) return [problem];
  const problems: string[] = [];
  const keys = touches === 'everything' ? [] : (Object.entries(touches) as [CapturedKind, string][]);
  for (const [kind, key] of keys) {
    try {
      const reason = await engine.keyProblem(captured, kind, key, columnsOf);
      if (reason !== null) problems.push(`captures.${table}.${kind}: ${reason}`);
    } catch (error) {
      problems.push(FINDINGS.keyFails(table, kind, engine.refusalIn(error)));
    }
  }
  return problems;
}

type Engine = Pick<
  EngineChecks<never, never>,
  'tablesReadBy' | 'query' | 'textOf' | 'isNoHash' | 'noCode' | 'clock'
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
    errors.push(...clockIn(select, engine).map((name) => FINDINGS.changesByItself(source, name)));
  }
  return { errors: [...new Set(errors)], warnings: [...warnings] };
}

/** What a select reads of the clock, as far as its own text shows. */
function clockIn(select: string, { noCode, clock }: Engine): readonly string[] {
  const called = `(?:${clock.functions.join('|')})\\s*\\(|(?:${clock.words.join('|')})\\b`;
  const code = select.replaceAll(noCode, ' ').toLowerCase();
  const names = code.match(new RegExp(`(?<![\\w$.])(?:${called})`, 'g')) ?? [];
  return [...new Set(names.map((name) => name.replace(/\s*\($/, '()')))];
}

/** Selects that fail in the statements of the worker. */
async function checkJoins<Tables extends SourceTables>(
  engine: Pick<EngineChecks<never, Tables>, 'query' | 'refusalIn'>,
  tables: Tables,
): Promise<readonly string[]> {
  const errors = new Set<string>();
  for (const kind of KINDS) {
    const source = SOURCE_OF[kind];
    try {
      const statements = [
        sizesStatement(tables, kind).sql('false'),
        rowsStatement(tables, kind).sql('false'),
      ];
      if (kind === 'blogs') statements.push(...joinsOfLinks(tables));
      for (const statement of statements) await engine.query(statement);
    } catch (error) {
      errors.add(FINDINGS.joinFails(source, engine.refusalIn(error)));
    }
  }
  return [...errors];
}

function joinsOfLinks(tables: SourceTables): readonly string[] {
  return TERM_KINDS.map((kind) => {
    const { source, column } = LINKS_TO[kind];
    return `select term.id from ${tables.table(source, 'link')} join ${tables.table('blogs', 'mapped')} on mapped.id = link.blog_id
      join ${tables.table(kind, 'term')} on term.id = link.${column} where false`;
  });
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
