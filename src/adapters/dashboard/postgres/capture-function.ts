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

/** No column that a key names is taken for these: unlike `found`, say, they have spaces. */
const KINDS = '"kinds to note"';
const KEYS = '"keys to note"';
const FEW_KEYS = 1_000;

/**
 * What a key may fail with, whole classes where PostgreSQL names them so: a column, a table or a function that is gone, a right that was taken away, a value that does not
 * do, what a function of the team's says. It must not keep the dashboard from writing. What is of the moment or of the server (a deadlock, a cancellation, a full disk) is no matter of the
 * key, and fails the write as it would anywhere.
 */
const CAUSED_BY_A_KEY = [
  'feature_not_supported',
  'cardinality_violation',
  'data_exception',
  'integrity_constraint_violation',
  'sql_routine_exception',
  'external_routine_exception',
  'external_routine_invocation_exception',
  'invalid_schema_name',
  'syntax_error_or_access_rule_violation',
  'program_limit_exceeded',
  'plpgsql_error',
  'internal_error',
];

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
  const { touches } = captured;
  const note = touches === 'everything' ? insert : collect;
  const begin = `
#variable_conflict use_column`;
  const byOperation = `if tg_op = 'INSERT' then
      ${note(keysIn(['added'], captured))}
    elsif tg_op = 'DELETE' then
      ${note(keysIn(['removed'], captured))}
    else
      -- Both: a key may have changed itself.
      ${note(keysIn(['removed', 'added'], captured))}
    end if;`;
  if (touches === 'everything') {
    return `${begin}
begin
  if tg_op = 'TRUNCATE' then
    ${all(captured)}
  else
    ${byOperation}
  end if;
  return null;
end
`;
  }
  return `${begin}
declare
  ${KINDS} text[];
  ${KEYS} text[];
begin
  if tg_op = 'TRUNCATE' then
    ${all(captured)}
    return null;
  end if;
  begin
    ${byOperation}
  exception when ${CAUSED_BY_A_KEY.join(' or ')} then
    raise warning 'a key of the mapping failed for a change of ${inText(shownTable(tableName(captured.table)))}, so that everything is read anew: %', sqlerrm
      using hint = 'Correct the keys under captures in the file that DASHBOARD_MAPPING names, then run npm run migrate.';
    ${all(captured)}
    return null;
  end;
  if ${KEYS} is not null then
    ${insert(`select * from unnest(${KINDS}, ${KEYS})`)}
  end if;
  return null;
end
`;
}

function insert(keys: string): string {
  return `insert into content_sync.change_queue (kind, key) ${keys};`;
}

/**
 * What is written in a block with handlers takes a transaction id of its own, of which PostgreSQL keeps 64 in memory for a transaction: few keys are only found
 * there, and written behind it. For many, which would take memory, that is one id for all of them.
 */
function collect(keys: string): string {
  return `select array_agg(kind), array_agg(key) into ${KINDS}, ${KEYS} from (${keys} limit ${FEW_KEYS + 1}) as few;
      if cardinality(${KEYS}) > ${FEW_KEYS} then
        ${KEYS} := null;
        ${insert(keys)}
      end if;`;
}

function inText(words: string): string {
  return words.replaceAll("'", "''").replaceAll('%', '%%');
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
