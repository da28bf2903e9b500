import type { Knex } from 'knex';
import type { RowKind } from '../../../domain/model/read-model.js';
import { columnProblems, unusedColumns } from '../mapping/column-problems.js';
import {
  type DashboardMapping,
  isSelect,
  presentSelects,
  SOURCES,
  type SourceName,
} from '../mapping/dashboard-mapping.js';
import type { MappingFindings } from '../mapping/mapping-findings.js';
import { uncapturedChanges } from '../mapping/uncaptured-changes.js';
import { checkValues } from '../source/check-values.js';
import type { CaptureFacts } from './capture-facts.js';
import { columnsIn, overChangedRow } from './changed-row.js';
import { checkClock } from './check-clock.js';
import { miswrittenReferences, problemsOfCascades } from './check-references.js';
import { unindexedWalks } from './check-walks.js';
import { judgeOf } from './column-problems.js';
import { MANAGED_KEYS } from './engine-mapping.js';
import { nextKeysIn } from './keys-in-scope.js';
import {
  type DescribedColumn,
  type Description,
  describeSelect,
  inlined,
  MappedTables,
} from './mapped-tables.js';
import { queryRows } from './query-rows.js';
import { name } from './quoted.js';
import { rowsStatement, SOURCE_OF, sizesOf } from './source-statements.js';
import { tablesIn } from './tables-in.js';
import { isTimeZone } from './zoned-time.js';

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
    errors.push(`time_zone: there is no time zone ${timeZone}; use a name such as Europe/Paris`);
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
  return {
    errors: await problemsOfKeys(database, mapping),
    warnings: [
      ...unused,
      ...uncapturedIn(mapping),
      ...longLookups(mapping, facts),
      ...(await miswrittenReferences(database, tables)),
      ...(await unindexedWalks(database, tables)),
      ...(await checkValues(mapping, NO_HASH, (statement) => queryRows(database, statement))),
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
    return `${source}: the select fails: ${messageOf(error)}`;
  }
}

/** Tables whose changes are not captured. */
function uncaptured({ selects, captures }: DashboardMapping, facts: CaptureFacts): readonly string[] {
  const captured = new Set(captures.map(({ table }) => table));
  return SOURCES.flatMap((source) => {
    const read = tablesIn(selects[source] ?? '');
    return facts.tables
      .filter(({ table }) => read.has(table) && !captured.has(table))
      .map(
        ({ table }) =>
          `${source}: the select reads ${table}, which is not under captures; add it with the keys of the rows that it affects, or with {} if it never changes`,
      );
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
      problems.push(`captures.${table}: there is no such table in this database; correct its name`);
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
      if (problem !== null) problems.push(`captures.${table}.${kind}: ${problem}`);
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
    const statements = [sizesOf(tables, kind, NO_KEYS), rowsStatement(tables, kind, NO_KEYS)];
    for (const of of ['websites', 'categories', 'tags'] as const)
      statements.push(nextKeysIn(tables, { of, keys: NO_KEYS }, kind, null, 1));
    for (const statement of statements) {
      const problem = await problemOfStatement(database, `select * from (${statement}) as tried limit 0`);
      if (problem !== null)
        problems.push(`${SOURCE_OF[kind]}: the select fails when it is joined with the others: ${problem}`);
    }
  }
  return [...new Set(problems)];
}

async function problemsOfKeys(database: Knex, { selects }: DashboardMapping): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const source of ['websites', 'blogs', 'categories', 'tags', 'api_keys'] as const) {
    const select = selects[source];
    if (select === null || select.includes(MANAGED_KEYS)) continue;
    const [twice] = await queryRows<{ id: string | null }>(
      database,
      `select id from ${inlined(select)} as mapped group by id having count(*) > 1 or id is null limit 1`,
    );
    if (twice?.id === null)
      problems.push(`${source}: the id is null in some rows; exclude rows whose id is null`);
    else if (twice !== undefined)
      problems.push(`${source}: several rows have the id "${twice.id}"; return one row for each id`);
  }
  return problems;
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
