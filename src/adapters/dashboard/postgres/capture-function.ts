import { type CapturedTable, isSelect } from '../mapping/dashboard-mapping.js';
import { noteEverything, whereAKeyFails } from './failing-key.js';
import { type GeneratedFunction, generatedFunction, nameFor } from './generated-function.js';
import { columnsOfChanged, lookupName } from './lookup-function.js';
import { quoted, tableName } from './table-name.js';

/** A key names no column that could be taken for these: unlike `found`, say, they have spaces. */
const NOTED = { kind: '"kinds to note"', key: '"keys to note"', lookup: '"lookups to note"' } as const;
type Column = keyof typeof NOTED;
const FEW_KEYS = 1_000;

/** The function behind the triggers of a captured table. Null: its rows never change, so that nothing is captured. */
export function captureFunctionOf(captured: CapturedTable): GeneratedFunction | null {
  const { touches } = captured;
  if (touches !== 'everything' && Object.keys(touches).length === 0) return null;
  const table = tableName(captured.table);
  const name = nameFor('capture', table);
  return generatedFunction(table, { name, isTrigger: true, body: bodyOf(captured) }, '() returns trigger');
}

/**
 * A statement that is written here is planned once a session, and one that is put together is planned for each edit: that took as long as an
 * edit of one row takes by itself. A column may be named as a variable of triggers is.
 */
function bodyOf(captured: CapturedTable): string {
  const { touches } = captured;
  const columns = columnsFor(captured);
  const note = touches === 'everything' ? noteIfAny : collect;
  const byOperation = `if tg_op = 'INSERT' then
      ${note(['added'], captured)}
    elsif tg_op = 'DELETE' then
      ${note(['removed'], captured)}
    else
      -- Both: a key may have changed itself.
      ${note(['removed', 'added'], captured)}
    end if;`;
  const found = columns.map((column) => NOTED[column]);
  const guarded = `begin
    ${byOperation}
  ${whereAKeyFails(captured)}
    return null;
  end;
  if ${NOTED.key} is not null then
    ${insert(columns, `unnest(${found.join(', ')})`)}
  end if;`;
  return `
#variable_conflict use_column
declare
  ${found.map((name) => `${name} text[];`).join('\n  ')}
begin
  if tg_op = 'TRUNCATE' then
    ${noteEverything(captured)}
    return null;
  end if;
  ${touches === 'everything' ? byOperation : guarded}
  return null;
end
`;
}

function columnsFor({ touches }: CapturedTable): readonly Column[] {
  const hasLookups = touches !== 'everything' && Object.values(touches).some(isSelect);
  return hasLookups ? ['kind', 'key', 'lookup'] : ['kind', 'key'];
}

function noteIfAny(transitions: readonly string[]): string {
  const conditions = transitions.map((transition) => `exists (select from ${transition})`);
  return `insert into content_sync.change_queue (kind) select 'everything' where ${conditions.join(' or ')};`;
}

/** Ordered: what one statement changes is applied in batches, and rows whose keys are neighbours share pages of indexes and packs of titles. */
function insert(columns: readonly Column[], from: string): string {
  const names = columns.join(', ');
  return `insert into content_sync.change_queue (${names})
      select distinct ${names} from ${from} as touched (${names}) where key is not null order by key;`;
}

/**
 * What is written in a block with handlers takes a transaction id of its own, of which PostgreSQL keeps 64 in memory for a transaction: few keys
 * are only found there, and written behind it. For many, which would take memory, that is one id for all of them.
 */
function collect(transitions: readonly string[], captured: CapturedTable): string {
  const columns = columnsFor(captured);
  const arrays = columns.map((column) => `array_agg(${column})`);
  const found = columns.map((column) => NOTED[column]);
  const keys = keysIn(transitions, captured);
  return `select ${arrays.join(', ')} into ${found.join(', ')}
      from (select * from (${keys}) as touched limit ${FEW_KEYS + 1}) as few (${columns.join(', ')});
      if cardinality(${NOTED.key}) > ${FEW_KEYS} then
        ${NOTED.key} := null;
        ${insert(columns, `(${keys})`)}
      end if;`;
}

function keysIn(transitions: readonly string[], captured: CapturedTable): string {
  const keys = transitions.flatMap((transition) =>
    Object.entries(captured.touches).map((touched) => keysOf(transition, touched, captured)),
  );
  return keys.join(' union all ');
}

function keysOf(transition: string, [kind, key]: readonly [string, string], captured: CapturedTable): string {
  const noted = (value: string) => `select '${kind}'::text, (${value})::text collate "C"`;
  const from = `from ${transition} as changed`;
  if (isSelect(key)) {
    const lookup = `'${lookupName(captured).replaceAll("'", "''")}'`;
    return `${noted(rowOf(columnsOfChanged(key)))}, ${lookup} ${from}`;
  }
  const isNone = columnsFor(captured).includes('lookup') ? ', null::text' : '';
  return `${noted(`${key}\n`)}${isNone} ${from}`;
}

/** As JSON: of a large row, no more than what a select names. */
function rowOf(columns: readonly string[] | null): string {
  if (columns === null) return 'to_jsonb(changed)';
  const values = columns.map((column) => `'${column.replaceAll("'", "''")}', changed.${quoted(column)}`);
  return `jsonb_build_object(${values.join(', ')})`;
}
