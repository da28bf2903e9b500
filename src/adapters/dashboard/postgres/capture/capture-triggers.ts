import { createHash } from 'node:crypto';
import { type CapturedTable, type DashboardMapping, isSelect } from '../../mapping/dashboard-mapping.js';
import { sqlTemplate } from '../../source/sql-template.js';
import { quoted, quotedTable, shownTable, type TableName, tableName } from '../read/quoted.js';
import { notedLookup } from './noted-look-up.js';

/** The function that the triggers of a captured table call. */
export interface CaptureFunction {
  readonly table: TableName;
  readonly name: string;
  /** Creates the function. */
  readonly statement: string;
  readonly body: string;
}

export interface CaptureTrigger {
  readonly name: string;
  /** As `pg_get_triggerdef` writes it after CREATE. */
  readonly definition: string;
}

const NOTE_EVERYTHING = sqlTemplate<'name'>('postgres/triggers/note-everything.sql');
const NOTE_KEYS = sqlTemplate<
  'name' | 'settings' | 'everything' | 'keys of added rows' | 'keys of removed rows' | 'table in a text'
>('postgres/triggers/note-keys.sql');

export function captureFunctions({ captures }: DashboardMapping): readonly CaptureFunction[] {
  return captures.flatMap((captured) => captureFunctionOf(captured) ?? []);
}

/** Null: the rows of the table never change. */
export function captureFunctionOf(captured: CapturedTable): CaptureFunction | null {
  if (captured.touches !== 'everything' && Object.keys(captured.touches).length === 0) return null;
  const table = tableName(captured.table);
  const name = functionName(table);
  const statement = statementOf(captured, table, quoted(name));
  return { table, name, statement, body: statement.split('$capture$')[1] ?? '' };
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
function statementOf({ touches, ...captured }: CapturedTable, table: TableName, name: string): string {
  if (touches === 'everything') return NOTE_EVERYTHING({ name });
  const keysOf = (rows: 'added' | 'removed') =>
    Object.entries(touches)
      .map(([kind, key]) => `select ${notedKey(kind, key, captured.table)} from ${rows} as changed`)
      .join('\n        union all ');
  const keys = { 'keys of added rows': keysOf('added'), 'keys of removed rows': keysOf('removed') };
  // API keys are noted as well, because they are taken before all others.
  const kinds = [...(touches.api_keys === undefined ? [] : ['api_keys']), 'everything'];
  const tableInText = shownTable(table).replaceAll("'", "''").replaceAll('%', '%%');
  return NOTE_KEYS({
    name,
    // Literals are read by the session's settings; a setting of the function slows each call.
    settings: Object.values({ ...keys, tableInText }).some((text) => text.includes('\\'))
      ? ' set standard_conforming_strings = on'
      : '',
    everything: kinds.map((kind) => `('${kind}')`).join(', '),
    ...keys,
    'table in a text': tableInText,
  });
}

function notedKey(kind: string, key: string, table: string): string {
  return isSelect(key)
    ? notedLookup(kind, key, table)
    : `'${kind}'::text, (${key}${endOf(key)})::text collate "C"`;
}

/** A comment at its end must not swallow what follows. */
function endOf(key: string): string {
  return key.includes('--') ? '\n' : '';
}
