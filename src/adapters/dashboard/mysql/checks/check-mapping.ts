import type { Knex } from 'knex';
import {
  type CapturedKind,
  type CapturedTable,
  type DashboardMapping,
  inlined,
  isSelect,
  type SourceName,
} from '../../mapping/dashboard-mapping.js';
import { MAPPED_COLUMNS } from '../../mapping/mapped-columns.js';
import { FINDINGS, type MappingFindings } from '../../mapping/mapping-findings.js';
import { MappingCheck } from '../../source/mapping-check.js';
import { type CaptureFacts, engineProblem, ownFacts } from '../capture/capture-facts.js';
import { overChangedRow } from '../capture/changed-row.js';
import { Dialect } from '../dialect.js';
import { quoted } from '../read/quoted.js';
import { tablesIn } from './tables-in.js';

/** What is wrong with a mapping in this database. Creates and changes nothing. */
export async function checkMapping(database: Knex, mapping: DashboardMapping): Promise<MappingFindings> {
  return new MysqlMappingCheck(database, mapping, await ownFacts(database)).findings();
}

class MysqlMappingCheck extends MappingCheck {
  /** Whatever the collation. */
  protected readonly isNoHash = `(binary key_hash not regexp binary '^[0-9a-f]{64}$')`;

  constructor(
    database: Knex,
    mapping: DashboardMapping,
    private readonly facts: CaptureFacts,
  ) {
    super(database, mapping, new Dialect(mapping));
  }

  protected async tableProblem({ table }: CapturedTable): Promise<string | null> {
    const fact = this.facts.tables.find((candidate) => candidate.table === table);
    if (fact === undefined) return FINDINGS.noSuchTable(table);
    const problem = engineProblem(fact);
    return problem === null
      ? null
      : `captures.${table}: the table ${problem}; run \`alter table ${table} engine = innodb\``;
  }

  protected async keyProblem(table: string, _kind: CapturedKind, key: string): Promise<null> {
    await this.query(trialOf(key, table, this.facts));
    return null;
  }

  /** Without their conversions, the columns have bytes. */
  protected async lossyColumns(source: SourceName, select: string) {
    const unconverted = select.replaceAll(/\bconvert\s*\(([^()]+)\busing\s+utf8mb4\s*\)/gi, '($1)');
    if (unconverted === select) return {};
    const columns = await this.attempt((database) => this.dialect.describe(database, unconverted));
    const lossy = Object.keys(MAPPED_COLUMNS[source])
      .filter((column) => columns[column]?.type === 'binary')
      .map(
        (column) => `coalesce(sum(hex(${column}) <> hex(convert(${column} using utf8mb4))), 0) as ${column}`,
      );
    if (lossy.length === 0) return {};
    const [row = {}] = await this.query(`select ${lossy.join(', ')} from ${inlined(unconverted)} as mapped`);
    return Object.fromEntries(Object.entries(row).map(([column, rows]) => [column, Number(rows)]));
  }

  /** As far as its text shows. A view is not captured, and its tables are unknown. */
  protected async tablesReadBy(select: string) {
    const read = tablesIn(select);
    const tables = this.facts.tables.map(({ table }) => table).filter((table) => read.has(table));
    return tables.map((table) => ({
      table,
      capture: this.mapping.captures.find((capture) => capture.table === table) ?? null,
    }));
  }
}

function trialOf(key: string, table: string, { columns }: CaptureFacts): string {
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
