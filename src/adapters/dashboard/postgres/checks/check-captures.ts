import type { Knex } from 'knex';
import { type CapturedTable, type DashboardMapping, isSelect } from '../../mapping/dashboard-mapping.js';
import { FINDINGS } from '../../mapping/mapping-findings.js';
import { captureFunctionOf } from '../capture/capture-triggers.js';
import { capturedMapping, capturedRelations } from '../capture/captured-tables.js';
import { CAPTURE_SEARCH_PATH } from '../capture/generated-function.js';
import { columnsOfChanged } from '../capture/lookups.js';
import { type DescribedColumn, describedSelect, tryToDescribe } from '../read/described-select.js';
import { familyOf } from '../read/mapped-tables.js';
import { rolledBack, runStatement } from '../read/query-rows.js';
import { quoted, quotedTable, tableName } from '../read/quoted.js';

/** Ordinary and partitioned ones. */
const TABLES = ['r', 'p'];
/** Rows that are tried for each table, so that errors that depend on values are likely to occur. */
const TRIED_ROWS = 100;

/** A table has one trigger for each event, with its own function or its parent's. */
export async function relationProblems(
  database: Knex,
  mapping: DashboardMapping,
): Promise<readonly string[]> {
  const captures = mapping.captures.filter((captured) => captureFunctionOf(captured) !== null);
  const relations = await capturedRelations(database, capturedMapping({ ...mapping, captures }));
  const first = new Map<string, string>();
  const problems: string[] = [];
  for (const { captured, quoted, relation, isForeign } of relations.toSorted(
    (a, b) => a.captured - b.captured,
  )) {
    const { table } = captures[captured] as CapturedTable;
    const other = first.get(quoted);
    if (isForeign)
      problems.push(
        `captures.${table}: ${relation} is a foreign table, whose changes cannot be captured; use tables of this database, and detach foreign parts`,
      );
    if (other === undefined) first.set(quoted, table);
    else
      problems.push(
        `captures.${table}: ${relation} is already captured by captures.${other}: both name the same table, or one is a part of the other; write all keys under one of the two`,
      );
  }
  return problems;
}

export async function tableProblem(
  database: Knex,
  { table, touches }: CapturedTable,
): Promise<string | null> {
  const { rows } = await runStatement<{ kind: string }>(
    database,
    'select relkind as kind from pg_class where oid = to_regclass($1)',
    [quotedTable(tableName(table))],
  );
  const [relation] = rows;
  if (relation === undefined) return FINDINGS.noSuchTable(table);
  const isConstant = touches !== 'everything' && Object.keys(touches).length === 0;
  return TABLES.includes(relation.kind) || isConstant ? null : FINDINGS.noTable(table);
}

export async function keyProblem(
  database: Knex,
  captured: CapturedTable,
  key: string,
  ids: readonly DescribedColumn[] | undefined,
): Promise<string | null> {
  const keys = selectOfKeys(captured, key);
  const type = await rolledBack(database, async (transaction) => {
    await transaction.raw(`set local search_path = ${CAPTURE_SEARCH_PATH}`);
    const [column] = await describedSelect(transaction, keys);
    await runStatement(transaction, `${keys} limit ${TRIED_ROWS}`);
    return column?.type ?? '';
  });
  const idType = ids?.find(({ name }) => name === 'id')?.type;
  return idType === undefined || familyOf(type) === familyOf(idType)
    ? null
    : `the key has the type ${type}, but the ids have the type ${idType}; use an expression of that type`;
}

/** The triggers run with the rights of their owner; the worker may have fewer. */
const INSUFFICIENT_PRIVILEGE = '42501';

/** The keys of a table's rows now. A look-up sees only the columns that it names. */
function selectOfKeys({ table }: CapturedTable, key: string): string {
  const rows = quotedTable(tableName(table));
  if (!isSelect(key)) return `select (${key}\n) as key from ${rows} as changed`;
  const columns = columnsOfChanged(key);
  const subject =
    columns === null
      ? rows
      : `(select ${columns.map((column) => `changed.${quoted(column)}`).join(', ')} from ${rows} as changed)`;
  return `select looked_up.key from ${subject} as changed cross join lateral (\n${key}\n) as looked_up (key)`;
}

/** Keys that PostgreSQL no longer accepts, which have everything read again at each change. */
export async function refusedKeys(
  database: Knex,
  { captures }: DashboardMapping,
  reported: ReadonlySet<string>,
): Promise<readonly string[]> {
  const selects = captures.flatMap((captured) =>
    Object.entries(captured.touches === 'everything' ? {} : captured.touches).map(([kind, key]) => ({
      name: `captures.${captured.table}.${kind}`,
      select: selectOfKeys(captured, key),
    })),
  );
  const settings = `set local search_path = ${CAPTURE_SEARCH_PATH}`;
  const { refusals } = await tryToDescribe(database, selects, settings);
  return refusals
    .filter(({ code, message }) => code !== INSUFFICIENT_PRIVILEGE && !reported.has(message))
    .map(({ name, message }) => `${name}: ${message}`);
}
