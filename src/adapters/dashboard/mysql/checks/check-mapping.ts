import type { Knex } from 'knex';
import {
  type CapturedKind,
  type CapturedTable,
  type DashboardMapping,
  isSelect,
} from '../../mapping/dashboard-mapping.js';
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

  protected familyOf(type: string): string | null {
    return ['integer', 'text'].includes(type) ? type : null;
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
