import type { Knex } from 'knex';
import {
  type CapturedKind,
  type CapturedTable,
  type DashboardMapping,
  isSelect,
} from '../../mapping/dashboard-mapping.js';
import { FINDINGS } from '../../mapping/mapping-findings.js';
import { captureFunctionOf } from '../capture/capture-triggers.js';
import { capturedMapping, capturedRelations } from '../capture/captured-tables.js';
import { CAPTURE_SEARCH_PATH } from '../capture/generated-function.js';
import { columnsOfChanged } from '../capture/lookups.js';
import { type Described, describedSelect, tryToDescribe } from '../read/described-select.js';
import { familyOf } from '../read/mapped-tables.js';
import { rolledBack, runStatement } from '../read/query-rows.js';
import { quoted, quotedTable, type TableName, tableName } from '../read/quoted.js';

const UNKNOWN_COLUMN = '42703';
/** Error codes for an unknown table, and for an unknown function or operator. */
const UNKNOWN_NAMES = ['42P01', '42883'];
/** Ordinary and partitioned ones. */
const TABLES = ['r', 'p'];
/** Rows that are tried for each table, so that errors that depend on values are likely to occur. */
const TRIED_ROWS = 100;

/** Whether the captured tables exist and their keys are valid. */
export async function checkCapture(
  database: Knex,
  captured: CapturedTable,
  columnsOf: Described,
): Promise<readonly string[]> {
  const problem = await tableProblem(database, captured);
  if (problem !== null) return [problem];
  if (captured.touches === 'everything') return [];
  const problems: string[] = [];
  for (const [kind, key] of Object.entries(captured.touches) as [CapturedKind, string][]) {
    const idType = columnsOf[kind]?.find(({ name }) => name === 'id')?.type;
    problems.push(...(await keyProblems(database, captured, [kind, key], idType)));
  }
  return problems;
}

/** A table has one trigger for each event, with its own function or its parent's. */
export async function checkOverlaps(database: Knex, mapping: DashboardMapping): Promise<readonly string[]> {
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

async function tableProblem(database: Knex, { table, touches }: CapturedTable): Promise<string | null> {
  const { rows } = await runStatement<{ kind: string }>(
    database,
    'select relkind as kind from pg_class where oid = to_regclass($1)',
    [quotedTable(tableName(table))],
  );
  const [relation] = rows;
  if (relation === undefined)
    return FINDINGS.noSuchTable(table, await correctionOf(database, tableName(table)));
  const isConstant = touches !== 'everything' && Object.keys(touches).length === 0;
  return TABLES.includes(relation.kind) || isConstant ? null : FINDINGS.noTable(table);
}

/** Names with capital letters need quotes. */
async function correctionOf(database: Knex, { schema, name }: TableName): Promise<string> {
  const { rows } = await runStatement<TableName>(
    database,
    `select nspname as schema, relname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where lower(nspname) = lower($1) and lower(relname) = lower($2) and relkind in ('r', 'p', 'v', 'm', 'f') order by 1, 2 limit 1`,
    [schema, name],
  );
  const [other] = rows;
  return other === undefined
    ? 'correct its name or its schema'
    : `its name has capital letters, so write it in quotes: '${quotedTable(other)}'`;
}

async function keyProblems(
  database: Knex,
  captured: CapturedTable,
  [kind, key]: readonly [CapturedKind, string],
  idType: string | undefined,
): Promise<readonly string[]> {
  const where = `captures.${captured.table}.${kind}`;
  const keys = selectOfKeys(captured, key);
  const attempt = async (transaction: Knex.Transaction) => {
    await transaction.raw(`set local search_path = ${CAPTURE_SEARCH_PATH}`);
    const [column] = await describedSelect(transaction, keys);
    await runStatement(transaction, `${keys} limit ${TRIED_ROWS}`);
    return column?.type ?? '';
  };
  try {
    const type = await rolledBack(database, attempt);
    if (idType === undefined || familyOf(type) === familyOf(idType)) return [];
    return [
      `${where}: the key has the type ${type}, but the ids have the type ${idType}; use an expression of that type`,
    ];
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return [FINDINGS.keyFails(captured.table, kind, `${error.message}${adviceOn(String(error.code), key)}`)];
  }
}

function adviceOn(code: string, key: string): string {
  if (UNKNOWN_NAMES.includes(code))
    return '; write the names of tables and functions with their schema, such as public.posts';
  if (code === UNKNOWN_COLUMN && isSelect(key))
    return '; write a column of the changed row with the prefix changed, such as changed.id';
  return '';
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
