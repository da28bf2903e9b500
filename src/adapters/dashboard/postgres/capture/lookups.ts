import { type CapturedTable, isSelect } from '../../mapping/dashboard-mapping.js';
import { quotedTable, tableName } from '../read/quoted.js';
import {
  type GeneratedFunction,
  generatedFunction,
  keyErrorHandlers,
  nameFor,
} from './generated-function.js';

/** The prefix of the names of these functions. */
export const LOOK_UP = 'look up';

/** The changed row, with a column of it if one is named. */
const CHANGED = /(?<![\p{L}\p{N}_$"])changed\b(?:\s*\.\s*("(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*))?/giu;

/** The columns of the changed row that a select names; null: all of them. */
export function columnsOfChanged(select: string): readonly string[] | null {
  const columns = [...select.matchAll(CHANGED)].map(([, column]) => column);
  if (columns.includes(undefined)) return null;
  return [...new Set(columns.map((column = '') => plain(column)))];
}

function plain(column: string): string {
  return column.startsWith('"') ? column.slice(1, -1).replaceAll('""', '"') : column.toLowerCase();
}

export function lookupName({ table }: CapturedTable): string {
  return nameFor(LOOK_UP, tableName(table));
}

/**
 * Finds the keys that are selects, for noted look-ups. Null: the table has none. Dynamic, because
 * the row is built with the current types.
 */
export function lookupFunctionOf(captured: CapturedTable): GeneratedFunction | null {
  const { touches } = captured;
  const keys = touches === 'everything' ? [] : Object.entries(touches).filter(([, key]) => isSelect(key));
  if (keys.length === 0) return null;
  const table = tableName(captured.table);
  const lines = keys.map(([kind, select]) => lookUp(kind, select, quotedTable(table)));
  const body = `
declare
  columns text;
begin
  begin
    ${lines.join('\n    ')}
  ${keyErrorHandlers(captured)}
  end;
end
`;
  return generatedFunction(
    table,
    { name: lookupName(captured), isTrigger: false, body },
    '(kinds text[], keys text[], at timestamptz) returns void',
  );
}

function lookUp(kind: string, select: string, table: string): string {
  const columns = columnsOfChanged(select);
  const isNamed =
    columns === null ? '' : ` and attname = any(array[${columns.map(inText).join(', ')}]::text[])`;
  const [before, after] = [
    `insert into content_sync.change_queue (kind, key, at)
      select distinct ${inText(kind)}, (looked_up.key)::text collate "C", $3 from (
        select changed.* from unnest($1, $2) as noted (kind, key) cross join lateral jsonb_to_record(noted.key::jsonb) as changed (`,
    `) where noted.kind = ${inText(kind)}
      ) as changed cross join lateral (\n${select}\n) as looked_up (key)
      where looked_up.key is not null order by 2`,
  ];
  return `select string_agg(format('%I %s%s', attname, format_type(atttypid, atttypmod), (
        select format(' collate %I.%I', nspname, collname) from pg_collation join pg_namespace on pg_namespace.oid = collnamespace
        where pg_collation.oid = attcollation and collname <> 'default')), ', ')
      into columns from pg_attribute
      where attrelid = ${inText(table)}::regclass and attnum > 0 and not attisdropped${isNamed};
    execute ${inText(before)} || coalesce(columns, 'nothing text') || ${inText(after)} using kinds, keys, at;`;
}

function inText(words: string): string {
  return `'${words.replaceAll("'", "''")}'`;
}
