import { sqlTemplate } from '../../source/sql-template.js';

/** The prefix of everything that the change capture creates in the dashboard's database. */
export const PREFIX = 'content_sync_';
const FUNCTION = `${PREFIX}note`;

/**
 * Triggers write to the queue through this function: MariaDB would refuse writers under LOCK TABLES
 * (error 1442) if several did so directly. `deterministic`, because a binary log refuses others
 * (error 1418). Another behaviour gets another name, so no trigger lacks its function.
 */
export const CREATE_NOTE_FUNCTION = sqlTemplate('mysql/triggers/note-function.sql')({});
const BODY = CREATE_NOTE_FUNCTION.slice(CREATE_NOTE_FUNCTION.indexOf('begin'));

export const DROP_NOTE_FUNCTION = `drop function if exists ${FUNCTION}`;

/** Its body as the dictionary shows it. */
export const NOTE_FUNCTION_FACTS = `select routine_definition as body from information_schema.routines
  where routine_schema = database() and routine_name = '${FUNCTION}'`;

export function isNoteFunction(body: string | undefined): boolean {
  return body === BODY;
}

/** An expression that notes a change. `do` would swallow its errors. */
export function noting(kind: string, key: string): string {
  return `${FUNCTION}('${kind}', ${key})`;
}

export const NOTE_EVERYTHING = `set noted = ${noting('everything', 'null')};`;
