import type { Knex } from 'knex';
import type { Captures } from '../../mapping/dashboard-mapping.js';
import { queryRows } from '../read/query-rows.js';
import { name } from '../read/quoted.js';
import { overChangedRow } from './changed-row.js';

/** A foreign key between two tables of the dashboard's database. */
export interface ForeignKey {
  readonly name: string;
  readonly child: string;
  readonly parent: string;
  /** Columns of the child, in the order of the parent's columns that they refer to. */
  readonly columns: readonly string[];
  readonly referenced: readonly string[];
  readonly onDelete: string;
  readonly onUpdate: string;
}

export interface TableIndex {
  readonly table: string;
  readonly name: string;
  readonly columns: readonly string[];
}

export interface TableColumn {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

/** The input for the triggers: the captures of the mapping, and the tables as they are. */
export interface CapturedTables {
  readonly captures: Captures;
  /** Of every table in the database. */
  readonly columns: Readonly<Record<string, readonly TableColumn[]>>;
  readonly foreignKeys: readonly ForeignKey[];
  /** The preferred index comes first. */
  readonly indexes: readonly TableIndex[];
}

export function columnNames(table: string, { columns }: CapturedTables): readonly string[] {
  return columns[table]?.map(({ column }) => column) ?? [];
}

/** A key of the mapping as an expression over a row in a trigger or in a statement. */
export function keyOver(key: string, table: string, row: string, tables: CapturedTables): string {
  return overChangedRow(key, columnNames(table, tables), (column) => `${row}.${name(column)}`);
}

/** The prefix of everything that the change capture creates in the dashboard's database. */
export const PREFIX = 'content_sync_';
const FUNCTION = `${PREFIX}note`;

/** Its behaviour never changes: another one gets another name, so no trigger lacks its function. */
const BODY = `begin
    if entity_key is not null or kind = 'everything' then
      insert into ${PREFIX}changes (id, kind, entity_key, at) values (uuid_short(), kind, entity_key, utc_timestamp(6));
    end if;
    return 1;
  end`;

/**
 * Triggers write to the queue through this function: MariaDB would refuse writers under LOCK TABLES
 * (error 1442) if several did so directly. `deterministic`, because a binary log refuses others
 * (error 1418).
 */
export const CREATE_NOTE_FUNCTION = `create function ${FUNCTION}(
    kind varchar(20) character set ascii, entity_key varchar(1000) character set utf8mb4 collate utf8mb4_bin
  ) returns tinyint deterministic modifies sql data sql security definer ${BODY}`;

/** An expression that notes a change. `do` would swallow its errors. */
export function noting(kind: string, key: string): string {
  return `${FUNCTION}('${kind}', ${key})`;
}

export const NOTING_EVERYTHING = noting('everything', 'null');

/** Its body as the dictionary shows it. */
export const NOTE_FUNCTION_FACTS = `select routine_definition as body from information_schema.routines
  where routine_schema = database() and routine_name = '${FUNCTION}'`;

export function isNoteFunction(body: string | undefined): boolean {
  return body === BODY;
}

/** Returns whether it was missing. */
export async function makeNoteFunction(database: Knex): Promise<boolean> {
  const [existing] = await queryRows<{ body: string }>(database, NOTE_FUNCTION_FACTS);
  if (isNoteFunction(existing?.body)) return false;
  await dropNoteFunction(database);
  await database.raw(CREATE_NOTE_FUNCTION);
  return true;
}

export async function dropNoteFunction(database: Knex): Promise<void> {
  await database.raw(`drop function if exists ${FUNCTION}`);
}
