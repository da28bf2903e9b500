import type { Knex } from 'knex';
import { SourceTooSlow } from '../../../../domain/errors.js';
import { type CapturedTable, type DashboardMapping, isSelect } from '../../mapping/dashboard-mapping.js';
import { FINDINGS, type MappingFindings } from '../../mapping/mapping-findings.js';
import { checkMapping as check } from '../../source/check-mapping.js';
import { type CaptureFacts, ownFacts } from '../capture/capture-facts.js';
import { changedFromOutside } from '../capture/cascades.js';
import { overChangedRow } from '../capture/changed-row.js';
import { MANAGED_KEYS } from '../key-table.js';
import { describeSelect, MappedTables } from '../read/mapped-tables.js';
import { queryRows, rejectionIn } from '../read/query-rows.js';
import { name } from '../read/quoted.js';
import { judgeOf } from './check-columns.js';
import { tablesIn } from './tables-in.js';

const NO_CODE = /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)*`|--[^\n]*|\/\*[\s\S]*?\*\//g;
const CLOCK = {
  functions: [
    'now',
    'curdate',
    'curtime',
    'sysdate',
    'rand',
    'uuid',
    'uuid_short',
    'unix_timestamp(?=\\s*\\(\\s*\\))',
  ],
  words: [
    'current_date',
    'current_time',
    'current_timestamp',
    'localtime',
    'localtimestamp',
    'utc_date',
    'utc_time',
    'utc_timestamp',
  ],
};

/** What is wrong with a mapping in this database. Creates and changes nothing. */
export async function checkMapping(database: Knex, written: DashboardMapping): Promise<MappingFindings> {
  const facts = await ownFacts(database);
  const mapping = withManagedKeysTable(written, facts);
  return check(mapping, {
    hasTimeZone: async (zone) => isTimeZone(zone),
    describe: (select) => describeSelect(database, select),
    judge: (columns) => judgeOf(columns, mapping.timeZone),
    tableProblem: async (captured) => tableProblem(captured, facts),
    keyProblem: async ({ table }, _kind, key) => {
      await database.raw(trialOf(key, table, facts));
      return null;
    },
    relationProblems: () => relationProblems(database, mapping, facts),
    tablesReadBy: async (select) => tablesReadBy(select, mapping, facts),
    query: (statement) => queryRows<Record<string, unknown>>(database, statement),
    tables: (columnsOf) => new MappedTables(mapping, columnsOf),
    refusalIn,
    textOf: (id) => id,
    // Whatever the collation.
    isNoHash: `(binary key_hash not regexp binary '^[0-9a-f]{64}$')`,
    noCode: NO_CODE,
    clock: CLOCK,
  });
}

/** The run that asks creates the table of managed keys. Before that there are no such keys. */
function withManagedKeysTable(mapping: DashboardMapping, { tables }: CaptureFacts): DashboardMapping {
  if (!mapping.hasManagedKeys || tables.some(({ table }) => table === MANAGED_KEYS)) return mapping;
  const captures = mapping.captures.filter(({ table }) => table !== MANAGED_KEYS);
  return { ...mapping, selects: { ...mapping.selects, api_keys: null }, captures };
}

function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** As far as its text shows. A view is not captured, and its tables are unknown. */
function tablesReadBy(select: string, { captures }: DashboardMapping, { tables }: CaptureFacts) {
  const read = tablesIn(select);
  return tables
    .filter(({ table }) => read.has(table))
    .map(({ table }) => ({
      table,
      capture: captures.find((capture) => capture.table === table) ?? null,
    }));
}

function tableProblem({ table }: CapturedTable, { tables }: CaptureFacts): string | null {
  const engine = tables.find((fact) => fact.table === table)?.engine;
  if (engine === undefined) return FINDINGS.noSuchTable(table);
  return engine === 'InnoDB'
    ? null
    : `captures.${table}: the table has the engine ${engine}, but only InnoDB has consistent snapshots of all tables; run \`alter table ${table} engine = innodb\``;
}

/** Tables that change with one of another database, which no trigger can note. */
async function relationProblems(database: Knex, mapping: DashboardMapping, { foreignKeys }: CaptureFacts) {
  const outside = await changedFromOutside(database, mapping, foreignKeys);
  return outside.map(
    ({ table, parent }) =>
      `captures.${table}: a foreign key changes its rows together with those of ${parent}, in another database, where they cannot be captured; remove its ON DELETE and ON UPDATE, and let the dashboard delete the rows`,
  );
}

function trialOf(key: string, table: string, { columns }: CaptureFacts): string {
  const names = columns.filter((column) => column.table === table).map(({ column }) => column);
  if (isSelect(key)) {
    const select = overChangedRow(
      key,
      names,
      (column) => `(select ${name(column)} from ${name(table)} limit 1)`,
    );
    return `select * from (${select}) as touched limit 0`;
  }
  const expression = overChangedRow(key, names, (column) => `changed.${name(column)}`);
  return `select ${expression} from ${name(table)} as changed limit 0`;
}

function refusalIn(error: unknown): string {
  const reason = error instanceof SourceTooSlow ? error.message : rejectionIn(error);
  if (reason === null) throw error;
  return reason;
}
