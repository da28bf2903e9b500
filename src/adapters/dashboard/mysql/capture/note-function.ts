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
