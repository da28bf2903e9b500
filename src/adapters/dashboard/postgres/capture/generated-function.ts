import { createHash } from 'node:crypto';
import type { CapturedTable } from '../../mapping/dashboard-mapping.js';
import { quoted, quotedTable, shownTable, type TableName, tableName } from '../read/quoted.js';

/** A function that `migrate` generates from a mapping for a captured table. */
export interface GeneratedFunction {
  readonly table: TableName;
  readonly name: string;
  /** Whether the triggers of the table call it. */
  readonly isTrigger: boolean;
  readonly statement: string;
  readonly body: string;
}

const MAX_NAME_LENGTH = 63;
/** The schemas that such a function sees: no other role can create objects in them. */
export const CAPTURE_SEARCH_PATH = 'pg_catalog, pg_temp';

export function generatedFunction(
  table: TableName,
  { name, isTrigger, body }: Pick<GeneratedFunction, 'name' | 'isTrigger' | 'body'>,
  signature: string,
): GeneratedFunction {
  // Literals are read by the session's settings; a setting of the function would slow each call.
  const hasBackslash = body.includes('\\');
  return {
    table,
    name,
    isTrigger,
    body,
    statement: `create or replace function content_sync.${quoted(name)}${signature} language plpgsql security definer
      set search_path = ${CAPTURE_SEARCH_PATH}${hasBackslash ? ' set standard_conforming_strings = on' : ''} as '${body.replaceAll("'", "''")}'`,
  };
}

/** The name of a function, from its purpose and its table. */
export function nameFor(what: string, table: TableName): string {
  const name = `${what} ${shownTable(table)}`;
  // A name with a dot could be mistaken for a table in another schema.
  const isUnmistakable = !`${table.schema}${table.name}`.includes('.');
  if (isUnmistakable && Buffer.byteLength(name) <= MAX_NAME_LENGTH) return name;
  return `${what} ${createHash('md5').update(quotedTable(table)).digest('hex')}`;
}

/** Errors of the moment or of the server are not the key's, and fail the statement as usual. */
const OF_THE_SERVER = `left(sqlstate, 2) in ('40', '53', '57', '58') or sqlstate = '55P03'`;

/**
 * Handlers of a block that finds keys: a failing key must not fail the dashboard's write. Another
 * wording would have everything read again.
 */
export function keyErrorHandlers(captured: CapturedTable): string {
  const table = shownTable(tableName(captured.table)).replaceAll("'", "''").replaceAll('%', '%%');
  return `exception when others then
    if ${OF_THE_SERVER} then raise; end if;
    raise warning 'a key of the mapping failed for a change of ${table}, so that everything is read anew: %', sqlerrm
      using hint = 'Correct the keys under captures in the file that DASHBOARD_MAPPING names, then run npm run migrate.';
    ${noteEverything(captured)}`;
}

/** Keys of API keys are noted as well, because they are taken before all others. */
export function noteEverything({ touches }: CapturedTable): string {
  const everything = `insert into content_sync.change_queue (kind) values ('everything');`;
  if (touches === 'everything' || touches.api_keys === undefined) return everything;
  return `insert into content_sync.change_queue (kind) values ('api_keys');\n    ${everything}`;
}
