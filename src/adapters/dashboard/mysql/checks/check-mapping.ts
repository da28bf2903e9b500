import type { Knex } from 'knex';
import type { RowKind } from '../../../../domain/model/read-model.js';
import {
  type DashboardMapping,
  isSelect,
  presentSelects,
  SOURCES,
  type SourceName,
} from '../../mapping/dashboard-mapping.js';
import { columnProblems, unusedColumns } from '../../mapping/mapped-columns.js';
import { FINDINGS, type MappingFindings, uncapturedChanges } from '../../mapping/mapping-findings.js';
import { checkIds, checkValues } from '../../source/check-mapping.js';
import { SOURCE_OF } from '../../source/source-dialect.js';
import { rowsStatement, sizesStatement } from '../../source/source-statements.js';
import type { CaptureFacts } from '../capture/capture-facts.js';
import { columnsIn, overChangedRow } from '../capture/changed-row.js';
import { isTimeZone } from '../dialect.js';
import { MANAGED_KEYS } from '../key-table.js';
import { nextKeysIn } from '../read/keys-in-scope.js';
import {
  type DescribedColumn,
  type Description,
  describeSelect,
  MappedTables,
} from '../read/mapped-tables.js';
import { queryRows } from '../read/query-rows.js';
import { name } from '../read/quoted.js';
import { checkClock } from './check-clock.js';
import { judgeOf } from './check-columns.js';
import { miswrittenReferences, problemsOfCascades } from './check-references.js';
import { unindexedWalks } from './check-walks.js';
import { tablesIn } from './tables-in.js';

const KINDS = Object.keys(SOURCE_OF) as RowKind[];
/** Whatever the collation. */
const NO_HASH = `(binary key_hash not regexp binary '^[0-9a-f]{64}$')`;
/** A key that no row has: the server still checks the statement. */
const NO_KEYS: readonly string[] = [''];
const LONG_TYPE = /text|blob|json/;

/** What is wrong with a mapping in this database, in the server's own words. Creates and changes nothing. */
export async function checkMapping(
  database: Knex,
  written: DashboardMapping,
  facts: CaptureFacts,
): Promise<MappingFindings> {
  const mapping = withManagedKeysTable(written, facts);
  const described: Partial<Record<SourceName, readonly DescribedColumn[]>> = {};
  const errors: string[] = [];
  const unused: string[] = [];
  const { timeZone } = mapping;
  if (timeZone !== null && !isTimeZone(timeZone)) {
    errors.push(FINDINGS.unknownZone(timeZone));
  }
  for (const source of SOURCES) {
    const columns = await columnsOrProblem(database, mapping, source);
    if (typeof columns === 'string') errors.push(columns);
    else {
      described[source] = columns;
      if (columns.length === 0) continue;
      const names = columns.map((column) => column.name);
      errors.push(...columnProblems(source, names, judgeOf(columns, timeZone)));
      unused.push(...unusedColumns(source, names));
    }
  }
  errors.push(
    ...uncaptured(mapping, facts),
    ...(await problemsOfCaptures(database, mapping, facts)),
    ...(await problemsOfCascades(database, mapping, facts)),
  );
  if (errors.length > 0) return { errors, warnings: [] };
  const tables = new MappedTables(mapping, described as Description);
  const clock: string[] = [];
  for (const { name: source, select } of presentSelects(mapping))
    clock.push(...(await checkClock(database, source, select)));
  const failing = [...clock, ...(await problemsOfStatements(database, tables))];
  if (failing.length > 0) return { errors: failing, warnings: [] };
  const query = (statement: string) => queryRows<Record<string, unknown>>(database, statement);
  return {
    errors: await checkIds(mapping, (id) => id, query),
    warnings: [
      ...unused,
      ...uncapturedIn(mapping),
      ...longLookups(mapping, facts),
      ...(await miswrittenReferences(database, tables)),
      ...(await unindexedWalks(database, tables)),
      ...(await checkValues(mapping, NO_HASH, query)),
    ],
  };
}

/** The run that asks creates the table of managed keys. Before that there are no such keys. */
function withManagedKeysTable(mapping: DashboardMapping, { tables }: CaptureFacts): DashboardMapping {
  if (!mapping.hasManagedKeys || tables.some(({ table }) => table === MANAGED_KEYS)) return mapping;
  return { ...mapping, selects: { ...mapping.selects, api_keys: null } };
}

async function columnsOrProblem(
  database: Knex,
  { selects }: DashboardMapping,
  source: SourceName,
): Promise<readonly DescribedColumn[] | string> {
  try {
    return await describeSelect(database, selects[source]);
  } catch (error) {
    return FINDINGS.selectFails(source, messageOf(error));
  }
}

/** Tables whose changes are not captured. */
function uncaptured({ selects, captures }: DashboardMapping, facts: CaptureFacts): readonly string[] {
  const captured = new Set(captures.map(({ table }) => table));
  return SOURCES.flatMap((source) => {
    const read = tablesIn(selects[source] ?? '');
    return facts.tables
      .filter(({ table }) => read.has(table) && !captured.has(table))
      .map(({ table }) => FINDINGS.uncapturedTable(source, table));
  });
}

/** Tables whose changes are captured, but not for the content of a select that reads them. */
function uncapturedIn({ selects, captures }: DashboardMapping): readonly string[] {
  return SOURCES.flatMap((source) => {
    const read = tablesIn(selects[source] ?? '');
    const captured = captures.filter(({ table }) => read.has(table));
    return captured.flatMap((capture) => uncapturedChanges(source, capture, capture.table) ?? []);
  });
}

async function problemsOfCaptures(
  database: Knex,
  { captures }: DashboardMapping,
  facts: CaptureFacts,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { table, touches } of captures) {
    if (table === MANAGED_KEYS) continue;
    const found = facts.tables.find((each) => each.table === table);
    if (found === undefined) {
      problems.push(FINDINGS.noSuchTable(table, 'correct its name'));
      continue;
    }
    if (found.engine !== 'InnoDB') {
      problems.push(
        `captures.${table}: the table has the engine ${found.engine}, but only InnoDB has consistent snapshots of all tables; run \`alter table ${table} engine = innodb\``,
      );
    }
    const columns = facts.columns.filter((each) => each.table === table).map(({ column }) => column);
    for (const [kind, key] of touches === 'everything' ? [] : Object.entries(touches)) {
      const problem = await problemOfKey(database, table, key, columns);
      if (problem !== null) problems.push(FINDINGS.keyFails(table, kind, problem));
    }
  }
  return problems;
}

/** Columns whose values may be too long for a noted look-up. */
function longLookups({ captures }: DashboardMapping, { columns }: CaptureFacts): readonly string[] {
  return captures.flatMap(({ table, touches }) => {
    const ofTable = columns.filter((each) => each.table === table);
    const keys = touches === 'everything' ? [] : Object.entries(touches).filter(([, key]) => isSelect(key));
    return keys.flatMap(([kind, key]) =>
      columnsIn(
        key,
        ofTable.map(({ column }) => column),
      )
        .filter((column) => ofTable.some((each) => each.column === column && LONG_TYPE.test(each.type)))
        .map(
          (column) =>
            `captures.${table}.${kind}: the select names changed.${column}, whose values may be long; a write to a row that has more than about 450 bytes there reads everything again`,
        ),
    );
  });
}

async function problemOfKey(
  database: Knex,
  table: string,
  key: string,
  columns: readonly string[],
): Promise<string | null> {
  const statement = isSelect(key)
    ? `select * from (${overChangedRow(key, columns, (column) => `(select ${name(column)} from ${name(table)} limit 1)`)}) as touched limit 0`
    : `select ${overChangedRow(key, columns, (column) => `changed.${name(column)}`)} from ${name(table)} as changed limit 0`;
  return problemOfStatement(database, statement);
}

async function problemsOfStatements(database: Knex, tables: MappedTables): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const kind of KINDS) {
    const isNone = tables.isOneOf(SOURCE_OF[kind], 'mapped', 'id', NO_KEYS);
    const statements = [sizesStatement, rowsStatement].map((of) => of(tables, kind).sql(isNone));
    for (const of of ['websites', 'categories', 'tags'] as const)
      statements.push(
        nextKeysIn({ scope: { of, keys: NO_KEYS }, kind, after: null, limit: 1 }, tables) ?? 'select 1',
      );
    for (const statement of statements) {
      const problem = await problemOfStatement(database, `select * from (${statement}) as tried limit 0`);
      if (problem !== null)
        problems.push(`${SOURCE_OF[kind]}: the select fails when it is joined with the others: ${problem}`);
    }
  }
  return [...new Set(problems)];
}

async function problemOfStatement(database: Knex, statement: string): Promise<string | null> {
  try {
    await database.raw(statement);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function messageOf(error: unknown): string {
  const { sqlMessage, message } = error as { sqlMessage?: string; message: string };
  return sqlMessage ?? message;
}
