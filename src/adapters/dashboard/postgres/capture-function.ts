import { createHash } from 'node:crypto';
import { type CapturedTable, isSelect } from '../mapping/dashboard-mapping.js';
import { quoted, quotedTable, shownTable, type TableName, tableName } from './table-name.js';

/** The function behind the triggers of a captured table. */
export interface CaptureFunction {
  readonly table: TableName;
  readonly name: string;
  readonly statement: string;
  readonly body: string;
}

const LONGEST_NAME = 63;
/** What such a function sees by names without a schema: nothing that somebody else could make, since it runs with the rights of its owner. */
export const CAPTURE_SEARCH_PATH = 'pg_catalog, pg_temp';

/** Null: its rows never change, so that nothing is captured. */
export function captureFunctionOf(captured: CapturedTable): CaptureFunction | null {
  const { touches } = captured;
  if (touches !== 'everything' && Object.keys(touches).length === 0) return null;
  const table = tableName(captured.table);
  const name = nameFor(table);
  const body = bodyOf(captured);
  return {
    table,
    name,
    body,
    statement: `create or replace function content_sync.${quoted(name)}() returns trigger language plpgsql security definer
      set search_path = ${CAPTURE_SEARCH_PATH} as '${body.replaceAll("'", "''")}'`,
  };
}

function nameFor(table: TableName): string {
  const name = `capture ${shownTable(table)}`;
  // With a dot in a name, it could be that of a table in another schema.
  const isUnmistakable = !`${table.schema}${table.name}`.includes('.');
  if (isUnmistakable && Buffer.byteLength(name) <= LONGEST_NAME) return name;
  return `capture ${createHash('md5').update(quotedTable(table)).digest('hex')}`;
}

/**
 * A statement that is written here is planned once a session, and one that is put together is planned for each edit: that took as long as an
 * edit of one row takes by itself. A column may be named as a variable of triggers is.
 */
function bodyOf(captured: CapturedTable): string {
  const insert = (keys: string) => `insert into content_sync.change_queue (kind, key) ${keys};`;
  return `
#variable_conflict use_column
begin
  if tg_op = 'TRUNCATE' then
    ${all(captured)}
  elsif tg_op = 'INSERT' then
    ${insert(keysIn(['added'], captured))}
  elsif tg_op = 'DELETE' then
    ${insert(keysIn(['removed'], captured))}
  else
    -- Both: a key may have changed itself.
    ${insert(keysIn(['removed', 'added'], captured))}
  end if;
  return null;
end
`;
}

/** Keys of API keys are noted as well: they are taken before all others. */
function all({ touches }: CapturedTable): string {
  const everything = `insert into content_sync.change_queue (kind) values ('everything');`;
  if (touches === 'everything' || touches.api_keys === undefined) return everything;
  return `insert into content_sync.change_queue (kind) values ('api_keys');\n    ${everything}`;
}

/** Ordered: what one statement changes is applied in batches, and rows whose keys are neighbours share pages of indexes and packs of titles. */
function keysIn(transitions: readonly string[], { touches }: CapturedTable): string {
  if (touches === 'everything') {
    const conditions = transitions.map((transition) => `exists (select from ${transition})`);
    return `select 'everything', null where ${conditions.join(' or ')}`;
  }
  const keys = transitions.flatMap((transition) =>
    Object.entries(touches).map(([kind, key]) => keysOf(transition, kind, key)),
  );
  const [only] = keys;
  const distinct =
    keys.length === 1 && only !== undefined
      ? only.replace('select ', 'select distinct ')
      : keys.join(' union ');
  return `select kind, key from (${distinct}) as touched (kind, key) where key is not null order by key`;
}

function keysOf(transition: string, kind: string, key: string): string {
  const text = (value: string) => `select '${kind}'::text, (${value})::text collate "C"`;
  if (!isSelect(key)) return `${text(`${key}\n`)} from ${transition} as changed`;
  return `${text('looked_up.key')} from ${transition} as changed cross join lateral (\n${key}\n) as looked_up (key)`;
}
