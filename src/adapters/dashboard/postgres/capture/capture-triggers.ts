import { createHash } from 'node:crypto';
import { type CapturedTable, type DashboardMapping, isSelect } from '../../mapping/dashboard-mapping.js';
import { quoted, quotedTable, shownTable, type TableName, tableName } from '../read/quoted.js';
import { notedLookup } from './noted-look-up.js';

/** The function that the triggers of a captured table call. */
export interface CaptureFunction {
  readonly table: TableName;
  readonly name: string;
  readonly body: string;
}

export interface CaptureTrigger {
  readonly name: string;
  /** As `pg_get_triggerdef` writes it after CREATE. */
  readonly definition: string;
}

/** The schemas that such a function sees: no other role can create objects in them. */
export const CAPTURE_SEARCH_PATH = 'pg_catalog, pg_temp';

export function captureFunctions({ captures }: DashboardMapping): readonly CaptureFunction[] {
  return captures.flatMap((captured) => captureFunctionOf(captured) ?? []);
}

/** Null: the rows of the table never change. */
export function captureFunctionOf(captured: CapturedTable): CaptureFunction | null {
  if (captured.touches !== 'everything' && Object.keys(captured.touches).length === 0) return null;
  const table = tableName(captured.table);
  return { table, name: functionName(table), body: bodyOf(captured) };
}

export function createFunction({ name, body }: CaptureFunction): string {
  // Literals are read by the session's settings; a setting of the function would slow each call.
  const strings = body.includes('\\') ? ' set standard_conforming_strings = on' : '';
  return `create or replace function content_sync.${quoted(name)}() returns trigger language plpgsql security definer
set search_path = ${CAPTURE_SEARCH_PATH}${strings} as $capture$${body}$capture$`;
}

/** The rows of a statement before and after it, as the triggers name them. */
const ROWS = {
  INSERT: 'REFERENCING NEW TABLE AS added ',
  UPDATE: 'REFERENCING OLD TABLE AS removed NEW TABLE AS added ',
  DELETE: 'REFERENCING OLD TABLE AS removed ',
  TRUNCATE: '',
};

/** `table`: its name as the catalogue quotes it. */
export function captureTriggers(table: string, { name }: CaptureFunction): readonly CaptureTrigger[] {
  return Object.entries(ROWS).map(([event, rows]) => {
    const trigger = `content_sync_${event.toLowerCase()}`;
    const calls = `FOR EACH STATEMENT EXECUTE FUNCTION content_sync.${quoted(name)}()`;
    return { name: trigger, definition: `TRIGGER ${trigger} AFTER ${event} ON ${table} ${rows}${calls}` };
  });
}

export function createTrigger(table: string, { name, definition }: CaptureTrigger): readonly string[] {
  // Also fires for a restore, which sets `session_replication_role` to `replica`.
  return [`CREATE OR REPLACE ${definition}`, `alter table ${table} enable always trigger ${name}`];
}

const MAX_NAME_LENGTH = 63;

function functionName(table: TableName): string {
  const name = `capture ${shownTable(table)}`;
  // A name with a dot could be mistaken for a table in another schema.
  const isUnmistakable = !`${table.schema}${table.name}`.includes('.');
  if (isUnmistakable && Buffer.byteLength(name) <= MAX_NAME_LENGTH) return name;
  return `capture ${createHash('md5').update(quotedTable(table)).digest('hex')}`;
}

/** Static statements, planned once in a session: dynamic ones would double the time of an edit. */
function bodyOf(captured: CapturedTable): string {
  const { table, touches } = captured;
  if (touches === 'everything') {
    return `
begin
  -- Whichever row of this table changes, all others are read again.
  if tg_op = 'TRUNCATE' then
    insert into content_sync.change_queue (kind) values ('everything');
  elsif tg_op = 'INSERT' then
    insert into content_sync.change_queue (kind) select 'everything' where exists (select from added);
  elsif tg_op = 'DELETE' then
    insert into content_sync.change_queue (kind) select 'everything' where exists (select from removed);
  else
    insert into content_sync.change_queue (kind) select 'everything' where exists (select from removed) or exists (select from added);
  end if;
  return null;
end
`;
  }
  const tableInText = shownTable(tableName(table)).replaceAll("'", "''").replaceAll('%', '%%');
  // API keys are noted as well, because they are taken before all others.
  const everything = [...(touches.api_keys === undefined ? [] : ['api_keys']), 'everything']
    .map((kind) => `('${kind}')`)
    .join(', ');
  return `
#variable_conflict use_column
declare
  -- With spaces, so that no column of the table has such a name.
  "kinds to note" text[];
  "keys to note" text[];
begin
  -- A TRUNCATE names no rows, so everything is read again.
  if tg_op = 'TRUNCATE' then
    insert into content_sync.change_queue (kind) values ${everything};
    return null;
  end if;
  -- Finds the keys of the rows, each once. They are written after this block, because a block that writes takes a transaction id of its
  -- own, of which PostgreSQL keeps 64 in memory.
  begin
    if tg_op = 'INSERT' then
      ${collect(['added'], captured)}
    elsif tg_op = 'DELETE' then
      ${collect(['removed'], captured)}
    else
      -- Of the rows before and after, because a key may have changed itself.
      ${collect(['removed', 'added'], captured)}
    end if;
  exception when others then
    -- A key that fails must not fail the dashboard's write, so everything is read again. Only an error of the server or of the moment fails
    -- the write.
    if left(sqlstate, 2) in ('40', '53', '57', '58') or sqlstate = '55P03' then raise; end if;
    raise warning 'a key of the mapping failed for a change of ${tableInText}, so that everything is read anew: %', sqlerrm
      using hint = 'Correct the keys under captures in the file that DASHBOARD_MAPPING names, then run npm run migrate.';
    insert into content_sync.change_queue (kind) values ${everything};
    return null;
  end;
  -- In order, because rows with neighbouring keys share pages of indexes.
  if "keys to note" is not null then
    insert into content_sync.change_queue (kind, key)
      select kind, key from unnest("kinds to note", "keys to note") as touched (kind, key) where key is not null order by key;
  end if;
  return null;
end
`;
}

function collect(transitions: readonly ('removed' | 'added')[], { table, touches }: CapturedTable): string {
  const keys = transitions.flatMap((rows) =>
    Object.entries(touches).map(([kind, key]) => {
      const noted = isSelect(key)
        ? notedLookup(kind, key, table)
        : `'${kind}'::text, (${key}${endOf(key)})::text collate "C"`;
      return `select ${noted} from ${rows} as changed`;
    }),
  );
  return `select array_agg(kind), array_agg(key) into "kinds to note", "keys to note" from (select distinct * from (
        ${keys.join('\n        union all ')}
      ) as touched) as once (kind, key);`;
}

/** A comment at its end must not swallow what follows. */
function endOf(key: string): string {
  return key.includes('--') ? '\n' : '';
}
