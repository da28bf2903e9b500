import { run } from '../../../sql/postgres/query-rows.js';
import type { CapturedKind, CapturedTable } from '../../mapping/dashboard-mapping.js';
import { FINDINGS } from '../../mapping/mapping-findings.js';
import type { MappingQuestions } from '../../source/engine.js';
import type { Trial } from '../../source/trial.js';
import { capturedRelations } from '../capture/capture-facts.js';
import { describedSelect } from '../read/described-select.js';
import { familyOf } from '../read/mapped-tables.js';
import { literal, quotedTable, shownTable, tableName } from '../read/quoted.js';
import { selectOfKeys, tablesIn } from './tables-in.js';

/** Ordinary and partitioned ones. */
const TABLES = ['r', 'p'];
/** Rows that are tried for each table, so that errors that depend on values are likely to occur. */
const TRIED_ROWS = 100;

export async function questionsOf(trial: Trial): Promise<MappingQuestions> {
  return {
    tableProblem: (captured) => tableProblem(trial, captured),
    keyProblem: (table, kind, key) => keyProblem(trial, table, kind, key),
    tablesReadBy: async (select) => {
      const { captures } = trial.mapping;
      const relations = await capturedRelations(trial.database, trial.mapping);
      const captureOf = new Map(relations.map(({ relation, captured }) => [relation, captures[captured]]));
      const tables = await trial.attempt((database) => tablesIn(database, select));
      return tables.map(shownTable).map((table) => ({ table, capture: captureOf.get(table) ?? null }));
    },
    /** The server refuses such bytes. */
    lossyColumns: async () => ({}),
  };
}

async function tableProblem(trial: Trial, { table, touches }: CapturedTable): Promise<string | null> {
  const regclass = literal(quotedTable(tableName(table)));
  const [relation] = await trial.query(
    `select relkind as kind from pg_class where oid = to_regclass(${regclass})`,
  );
  if (relation === undefined) return FINDINGS.noSuchTable(table);
  const isConstant = touches !== 'everything' && Object.keys(touches).length === 0;
  return TABLES.includes(String(relation.kind)) || isConstant ? null : FINDINGS.noTable(table);
}

async function keyProblem(trial: Trial, table: string, kind: CapturedKind, key: string) {
  const keys = selectOfKeys(table, key);
  const type = await trial.attempt(async (transaction) => {
    // As for the functions of the triggers.
    await transaction.raw('set local search_path = pg_catalog, pg_temp');
    const [column] = Object.values(await describedSelect(transaction, keys));
    await run(transaction, `${keys} limit ${TRIED_ROWS}`);
    return column?.type ?? '';
  });
  const idType = trial.columnsOf[kind]?.id?.type;
  return idType === undefined || familyOf(type) === familyOf(idType)
    ? null
    : `the key has the type ${type}, but the ids have the type ${idType}; use an expression of that type`;
}
