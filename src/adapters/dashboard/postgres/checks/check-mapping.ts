import type { Knex } from 'knex';
import type { CapturedKind, CapturedTable, DashboardMapping } from '../../mapping/dashboard-mapping.js';
import { FINDINGS, type MappingFindings } from '../../mapping/mapping-findings.js';
import { MappingCheck } from '../../source/mapping-check.js';
import { capturedRelations } from '../capture/capture-facts.js';
import { Dialect } from '../dialect.js';
import { describedSelect } from '../read/described-select.js';
import { familyOf } from '../read/mapped-tables.js';
import { run } from '../read/query-rows.js';
import { literal, quotedTable, shownTable, tableName } from '../read/quoted.js';
import { selectOfKeys, tablesIn } from './tables-in.js';

/** Ordinary and partitioned ones. */
const TABLES = ['r', 'p'];
/** Rows that are tried for each table, so that errors that depend on values are likely to occur. */
const TRIED_ROWS = 100;

/** What is wrong with a mapping in this database. Creates and changes nothing. */
export function checkMapping(database: Knex, mapping: DashboardMapping): Promise<MappingFindings> {
  return new PostgresMappingCheck(database, mapping, new Dialect(mapping)).findings();
}

class PostgresMappingCheck extends MappingCheck {
  protected readonly isNoHash = `(key_hash !~ '^[0-9a-f]{64}$')`;

  protected async tableProblem({ table, touches }: CapturedTable): Promise<string | null> {
    const regclass = literal(quotedTable(tableName(table)));
    const [relation] = await this.query(
      `select relkind as kind from pg_class where oid = to_regclass(${regclass})`,
    );
    if (relation === undefined) return FINDINGS.noSuchTable(table);
    const isConstant = touches !== 'everything' && Object.keys(touches).length === 0;
    return TABLES.includes(String(relation.kind)) || isConstant ? null : FINDINGS.noTable(table);
  }

  protected async keyProblem(table: string, kind: CapturedKind, key: string): Promise<string | null> {
    const keys = selectOfKeys(table, key);
    const type = await this.attempt(async (transaction) => {
      // As for the functions of the triggers.
      await transaction.raw('set local search_path = pg_catalog, pg_temp');
      const [column] = Object.values(await describedSelect(transaction, keys));
      await run(transaction, `${keys} limit ${TRIED_ROWS}`);
      return column?.type ?? '';
    });
    const idType = this.columnsOf[kind]?.id?.type;
    return idType === undefined || familyOf(type) === familyOf(idType)
      ? null
      : `the key has the type ${type}, but the ids have the type ${idType}; use an expression of that type`;
  }

  /** The server refuses such bytes. */
  protected async lossyColumns() {
    return {};
  }

  protected async tablesReadBy(select: string) {
    const relations = await capturedRelations(this.database, this.mapping);
    const captures = new Map(
      relations.map(({ relation, captured }) => [relation, this.mapping.captures[captured]]),
    );
    const tables = await this.attempt((database) => tablesIn(database, select));
    return tables.map(shownTable).map((table) => ({ table, capture: captures.get(table) ?? null }));
  }
}
