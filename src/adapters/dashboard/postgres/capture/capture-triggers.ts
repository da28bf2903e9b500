import { type CapturedTable, isSelect } from '../../mapping/dashboard-mapping.js';
import { quoted, tableName } from '../read/quoted.js';
import {
  type GeneratedFunction,
  generatedFunction,
  keyErrorHandlers,
  nameFor,
  noteEverything,
} from './generated-function.js';
import { columnsOfChanged, lookupName } from './lookups.js';

/** With spaces, so that no column that a key names has such a name. */
const NOTED = { kind: '"kinds to note"', key: '"keys to note"', lookup: '"lookups to note"' } as const;
type Column = keyof typeof NOTED;

/** The trigger function of a captured table. Null: its rows never change. */
export function captureFunctionOf(captured: CapturedTable): GeneratedFunction | null {
  if (captured.touches !== 'everything' && Object.keys(captured.touches).length === 0) return null;
  const table = tableName(captured.table);
  const name = nameFor('capture', table);
  return generatedFunction(table, { name, isTrigger: true, body: bodyOf(captured) }, '() returns trigger');
}

/**
 * Static statements are planned once per session; dynamic ones would double the time of an edit.
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
  const expressions = columns.map((column) => NOTED[column]);
  const withKeys = `begin
    ${byOperation}
  ${keyErrorHandlers(captured)}
    return null;
  end;
  if ${NOTED.key} is not null then
    ${insert(columns, `unnest(${expressions.join(', ')})`)}
  end if;`;
  return `
#variable_conflict use_column
declare
  ${expressions.map((name) => `${name} text[];`).join('\n  ')}
begin
  if tg_op = 'TRUNCATE' then
    ${noteEverything(captured)}
    return null;
  end if;
  ${touches === 'everything' ? byOperation : withKeys}
  return null;
end
`;
}

function columnsFor({ touches }: CapturedTable): readonly Column[] {
  const hasLookups = touches !== 'everything' && Object.values(touches).some(isSelect);
  return hasLookups ? ['kind', 'key', 'lookup'] : ['kind', 'key'];
}

/** The rows of a statement before and after it. */
type Transition = 'removed' | 'added';

function noteIfAny(transitions: readonly Transition[]): string {
  const conditions = transitions.map((rows) => `exists (select from ${rows})`);
  return `insert into content_sync.change_queue (kind) select 'everything' where ${conditions.join(' or ')};`;
}

/** Ordered, because rows with neighbouring keys share pages of indexes. */
function insert(columns: readonly Column[], from: string): string {
  const names = columns.join(', ');
  return `insert into content_sync.change_queue (${names})
      select ${names} from ${from} as touched (${names}) where key is not null order by key;`;
}

/**
 * Writes in a block with handlers take a transaction id each, of which PostgreSQL keeps 64 in
 * memory. So the block only finds the keys, which are written after it.
 */
function collect(transitions: readonly Transition[], captured: CapturedTable): string {
  const columns = columnsFor(captured);
  const arrays = columns.map((column) => `array_agg(${column})`);
  const variables = columns.map((column) => NOTED[column]);
  return `select ${arrays.join(', ')} into ${variables.join(', ')}
      from (select distinct * from (${keysIn(transitions, captured)}) as touched) as distinct_keys (${columns.join(', ')});`;
}

function keysIn(transitions: readonly Transition[], captured: CapturedTable): string {
  const keys = transitions.flatMap((rows) =>
    Object.entries(captured.touches).map(
      (touched) => `select ${notedBy(touched, captured)} from ${rows} as changed`,
    ),
  );
  return keys.join(' union all ');
}

function notedBy([kind, key]: readonly [string, string], captured: CapturedTable): string {
  const noted = (value: string) => `'${kind}'::text, (${value})::text collate "C"`;
  if (isSelect(key)) {
    const lookup = `'${lookupName(captured).replaceAll("'", "''")}'::text`;
    return `${noted(rowOf(columnsOfChanged(key)))}, ${lookup}`;
  }
  const isNone = columnsFor(captured).includes('lookup') ? ', null::text' : '';
  return `${noted(`${key}\n`)}${isNone}`;
}

/** The changed row as JSON, with only the columns that a select names. */
function rowOf(columns: readonly string[] | null): string {
  if (columns === null) return 'to_jsonb(changed)';
  const values = columns.map((column) => `'${column.replaceAll("'", "''")}', changed.${quoted(column)}`);
  return `jsonb_build_object(${values.join(', ')})`;
}
