import type { Knex } from 'knex';
import {
  type CapturedKind,
  type CapturedTable,
  type DashboardMapping,
  inlined,
  isSelect,
} from '../../mapping/dashboard-mapping.js';
import { FINDINGS, type MappingFindings } from '../../mapping/mapping-findings.js';
import { MappingCheck } from '../../source/mapping-check.js';
import { capturedMapping, capturedRelations } from '../capture/captured-tables.js';
import { CAPTURE_SEARCH_PATH } from '../capture/generated-function.js';
import { columnsOfChanged } from '../capture/lookups.js';
import { Dialect } from '../dialect.js';
import { describedSelect } from '../read/described-select.js';
import { familyOf } from '../read/mapped-tables.js';
import { runStatement } from '../read/query-rows.js';
import { literal, quoted, quotedTable, shownTable, tableName } from '../read/quoted.js';

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

  protected async keyProblem(captured: CapturedTable, kind: CapturedKind): Promise<string | null> {
    const keys = selectOfKeys(captured, kind);
    const type = await this.attempt(async (transaction) => {
      await transaction.raw(`set local search_path = ${CAPTURE_SEARCH_PATH}`);
      const [column] = await describedSelect(transaction, keys);
      await runStatement(transaction, `${keys} limit ${TRIED_ROWS}`);
      return column?.type ?? '';
    });
    const idType = this.columnsOf[kind]?.find(({ name }) => name === 'id')?.type;
    return idType === undefined || familyOf(type) === familyOf(idType)
      ? null
      : `the key has the type ${type}, but the ids have the type ${idType}; use an expression of that type`;
  }

  /** Directly, or through a view: the plan shows it. */
  protected async tablesReadBy(select: string) {
    const { database, mapping } = this;
    const relations = await capturedRelations(database, capturedMapping(mapping));
    const captures = new Map(
      relations.map(({ relation, captured }) => [relation, mapping.captures[captured]]),
    );
    const rows = await this.query(
      `explain (verbose, costs off, format json) select * from ${inlined(select)} as mapped`,
    );
    const plans = rows.flatMap((row) => row['QUERY PLAN'] as readonly { readonly Plan: PlanNode }[]);
    const nodes = plans.flatMap(({ Plan }) => nodesIn(Plan));
    return nodes.flatMap(({ Schema: schema, 'Relation Name': name }) => {
      if (schema === undefined || name === undefined || schema === 'pg_catalog') return [];
      const table = shownTable({ schema, name });
      return [{ table, capture: captures.get(table) ?? null }];
    });
  }
}

/** A node of a plan in the output of EXPLAIN. */
interface PlanNode {
  readonly Schema?: string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

function nodesIn(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesIn)];
}

/** The keys of a table's rows now. A look-up sees only the columns that it names. */
function selectOfKeys({ table, touches }: CapturedTable, kind: CapturedKind): string {
  const key = touches === 'everything' ? '' : (touches[kind] ?? '');
  const rows = quotedTable(tableName(table));
  if (!isSelect(key)) return `select (${key}\n) as key from ${rows} as changed`;
  const columns = columnsOfChanged(key);
  const subject =
    columns === null
      ? rows
      : `(select ${columns.map((column) => `changed.${quoted(column)}`).join(', ')} from ${rows} as changed)`;
  return `select looked_up.key from ${subject} as changed cross join lateral (\n${key}\n) as looked_up (key)`;
}
