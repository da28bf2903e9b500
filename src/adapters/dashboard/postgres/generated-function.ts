import { createHash } from 'node:crypto';
import { quoted, quotedTable, shownTable, type TableName } from './table-name.js';

/** What `migrate` makes of a mapping for a captured table. */
export interface GeneratedFunction {
  readonly table: TableName;
  readonly name: string;
  /** Whether it is what the triggers of the table call. */
  readonly isTrigger: boolean;
  readonly statement: string;
  readonly body: string;
}

const LONGEST_NAME = 63;
/** What such a function sees by names without a schema: nothing that somebody else could make, since it runs with the rights of its owner. */
export const CAPTURE_SEARCH_PATH = 'pg_catalog, pg_temp';

export function generatedFunction(
  table: TableName,
  { name, isTrigger, body }: Pick<GeneratedFunction, 'name' | 'isTrigger' | 'body'>,
  signature: string,
): GeneratedFunction {
  // PL/pgSQL reads texts as the session of the dashboard was told to. Each setting costs a call some time.
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

/** What a function does, and for which table. */
export function nameFor(what: string, table: TableName): string {
  const name = `${what} ${shownTable(table)}`;
  // With a dot in a name, it could be that of a table in another schema.
  const isUnmistakable = !`${table.schema}${table.name}`.includes('.');
  if (isUnmistakable && Buffer.byteLength(name) <= LONGEST_NAME) return name;
  return `${what} ${createHash('md5').update(quotedTable(table)).digest('hex')}`;
}
