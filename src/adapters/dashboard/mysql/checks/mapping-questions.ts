import { inlined, isSelect, type SourceName } from '../../mapping/dashboard-mapping.js';
import { MAPPED_COLUMNS } from '../../mapping/mapped-columns.js';
import { FINDINGS } from '../../mapping/mapping-findings.js';
import type { MappingQuestions } from '../../source/engine.js';
import type { Trial } from '../../source/trial.js';
import { type CaptureFacts, engineProblem, ownFacts } from '../capture/capture-facts.js';
import { overChangedRow } from '../capture/changed-row.js';
import { describedSelect } from '../read/described-select.js';
import { quoted } from '../read/quoted.js';
import { tablesIn } from './tables-in.js';

export async function questionsOf(trial: Trial): Promise<MappingQuestions> {
  const facts = await ownFacts(trial.database);
  return {
    tableProblem: async ({ table }) => tableProblem(table, facts),
    keyProblem: async (table, _kind, key) => {
      await trial.query(statementOf(key, table, facts));
      return null;
    },
    /** As far as its text shows. A view is not captured, and its tables are unknown. */
    tablesReadBy: async (select) => {
      const read = tablesIn(select);
      const tables = facts.tables.map(({ table }) => table).filter((table) => read.has(table));
      const { captures } = trial.mapping;
      return tables.map((table) => ({
        table,
        capture: captures.find((capture) => capture.table === table) ?? null,
      }));
    },
    lossyColumns: (source, select) => lossyColumns(trial, source, select),
  };
}

function tableProblem(table: string, { tables }: CaptureFacts): string | null {
  const fact = tables.find((candidate) => candidate.table === table);
  if (fact === undefined) return FINDINGS.noSuchTable(table);
  const problem = engineProblem(fact);
  return problem === null
    ? null
    : `captures.${table}: the table ${problem}; run \`alter table ${table} engine = innodb\``;
}

/** Without their conversions, the columns have bytes. */
async function lossyColumns(trial: Trial, source: SourceName, select: string) {
  const unconverted = select.replaceAll(/\bconvert\s*\(([^()]+)\busing\s+utf8mb4\s*\)/gi, '($1)');
  if (unconverted === select) return {};
  const columns = await trial.attempt((database) => describedSelect(database, unconverted));
  const lossy = Object.keys(MAPPED_COLUMNS[source])
    .filter((column) => columns[column]?.type === 'binary')
    .map(
      (column) => `coalesce(sum(hex(${column}) <> hex(convert(${column} using utf8mb4))), 0) as ${column}`,
    );
  if (lossy.length === 0) return {};
  const [row = {}] = await trial.query(`select ${lossy.join(', ')} from ${inlined(unconverted)} as mapped`);
  return Object.fromEntries(Object.entries(row).map(([column, rows]) => [column, Number(rows)]));
}

function statementOf(key: string, table: string, { columns }: CaptureFacts): string {
  const names = columns.filter((column) => column.table === table).map(({ column }) => column);
  if (isSelect(key)) {
    const select = overChangedRow(
      key,
      names,
      (column) => `(select ${quoted(column)} from ${quoted(table)} limit 1)`,
    );
    return `select * from (${select}) as touched limit 0`;
  }
  const expression = overChangedRow(key, names, (column) => `changed.${quoted(column)}`);
  return `select ${expression} from ${quoted(table)} as changed limit 0`;
}
