import { createHash } from 'node:crypto';
import { quoted, quotedTable, shownTable, type TableName } from '../read/table-name.js';

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
/**
 * The schemas that such a function sees without qualification. No other role can create objects in them: the function runs with the rights
 * of its owner.
 */
export const CAPTURE_SEARCH_PATH = 'pg_catalog, pg_temp';

export function generatedFunction(
  table: TableName,
  { name, isTrigger, body }: Pick<GeneratedFunction, 'name' | 'isTrigger' | 'body'>,
  signature: string,
): GeneratedFunction {
  // PL/pgSQL reads string literals according to the settings of the dashboard's session. Each setting of a function makes a call slower.
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
