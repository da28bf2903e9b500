import type { CapturedTable, DashboardMapping } from './dashboard-mapping.js';

/** Only one of the servers takes the quote as a part of the text. */
const AMBIGUOUS_QUOTE = /\\['"`]/;
const STRING_OR_COMMENT =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|--(?:\s[^\n]*|$)|\/\*(?!M?!)[\s\S]*?\*\//gu;
/** Other forms of texts and comments. */
const UNREAD_SYNTAX = /\\|#|\$|\/\*|--|\bU&/iu;
const TOKEN = /''|"(?:[^"]|"")*"|`(?:[^`]|``)*`|[\p{L}_][\p{L}\p{N}_$]*|\d[\w.]*|\S/gu;
const NAME = /^[\p{L}_"`]/u;
const PLAIN_NAME = /^[\p{L}_][\p{L}\p{N}_$]*$/u;
const LOWER_CASE_NAME = /(["`])([^"`\p{Lu}]*)\1/gu;

const words = (text: string) => new Set(text.trim().split(/\s+/));
/** What may stand before a parenthesis. Another function may read tables, or take a whole row. */
const KNOWN_CALLS = words(`
  abs all and any array array_agg array_length as avg between bigint bin binary by cardinality case cast ceil ceiling char char_length
  character coalesce concat concat_ws convert convert_tz count date date_add date_format date_sub date_trunc datetime day decimal decode
  digest distinct div else encode exists extract filter floor from from_unixtime greatest group_concat hex if ifnull in int instr
  interval is join json_array json_arrayagg json_extract json_object json_unquote json_value jsonb_agg jsonb_array_elements
  jsonb_array_elements_text jsonb_array_length jsonb_build_object jsonb_extract_path_text lateral lcase least left length like locate
  lower lpad ltrim make_interval max md5 min mod not nullif numeric octet_length on or order over overlay partition position regexp_matches regexp_replace
  regexp_substr repeat replace reverse right round rpad rtrim select sha1 sha2 sha256 sign split_part str_to_date string_agg strpos
  substr substring substring_index sum then time timestamp timestamptz timezone to_char to_date to_number to_timestamp
  trim trunc truncate ucase unhex union unix_timestamp unnest upper using values varbinary varchar when where with year
`);
const ENDS_FROM = words('where group order having limit offset fetch window for union intersect except');
/** They change with any update; or they bring in columns that are not named. */
const READS_MORE = words('natural table ctid cmin cmax xmin xmax tableoid row_start row_end');
const AFTER_TABLE = words(`
  where group order having limit offset fetch window for union intersect except on using join left right inner outer cross full
  straight_join natural force use ignore tablesample partition
`);

/**
 * The columns of a captured table that the mapping may read. Null: any, as its text does not tell.
 */
export function readColumns(
  { selects, captures }: Pick<DashboardMapping, 'selects' | 'captures'>,
  { table, touches }: CapturedTable,
  columns: readonly string[],
): readonly string[] | null {
  const tables = new Set(captures.map((captured) => fullName(captured.table)));
  const toText = (sql: string | null) => ({ sql: sql ?? '', changed: '' });
  const all = [...Object.values(selects).map(toText), ...captures.flatMap(keysOf)];
  // A change of such a table has nothing but API keys read.
  const isOfKeys = touches !== 'everything' && Object.keys(touches).join() === 'api_keys';
  const relevant = isOfKeys ? [toText(selects.api_keys), ...keysOf({ table, touches })] : all;
  for (const { sql, changed } of relevant) {
    const qualified = qualifiedNames(sql, changed, tables);
    const isColumn = ([owner, name]: QualifiedName) =>
      owner !== fullName(table) || columns.some((column) => column.toLowerCase() === name);
    if (qualified === null || !qualified.every(isColumn)) return null;
  }
  const text = all
    .map(({ sql }) => sql)
    .join('\n')
    .toLowerCase();
  const words = new Set(text.match(/[\p{L}_][\p{L}\p{N}_$]*/gu));
  const read = columns.filter((column) => {
    const name = column.toLowerCase();
    return PLAIN_NAME.test(name) ? words.has(name) : text.includes(name) || /["`]/.test(name);
  });
  return read.length === 0 ? null : read;
}

type QualifiedName = readonly [table: string, column: string];

/** The columns that a statement qualifies with a table. Null: it may read more of it. */
function qualifiedNames(
  sql: string,
  changed: string,
  tables: ReadonlySet<string>,
): readonly QualifiedName[] | null {
  const code = sql.replaceAll(STRING_OR_COMMENT, (part) =>
    /^["`]/.test(part) ? part : part.startsWith("'") ? "''" : ' ',
  );
  if (AMBIGUOUS_QUOTE.test(sql) || UNREAD_SYNTAX.test(code)) return null;
  const written = code.match(TOKEN) ?? [];
  const tokens = written.map(plain);
  const isAt = (index: number, ...expected: readonly string[]) => expected.includes(tokens[index] ?? '');
  const withNames = new Set<string>();
  const aliases = new Map<string, string>([['changed', changed]]);
  const tablePlaces = new Set<number>();
  const stars: number[] = [];
  const isInFrom = [false];
  const opened: number[] = [];
  let expectsTable = false;
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as string;
    const next = tokens[index + 1] ?? '';
    if (READS_MORE.has(token)) return null;
    if (token === '*' && !isHarmlessStar(tokens, index)) stars.push(index);
    if (next === '(' && NAME.test(token) && (isAt(index - 1, '.') || !KNOWN_CALLS.has(token))) return null;
    if (token === '(') {
      if (expectsTable && !isAt(index + 1, 'select', 'with', 'values', '(')) return null;
      expectsTable &&= next === '(';
      isInFrom.push(false);
      opened.push(index);
    } else if (token === ')') {
      isInFrom.pop();
      const start = opened.pop() ?? 0;
      // Inside its own parentheses, such a name may be that of a view.
      if (opened.length === 0 && isAt(start - 1, 'as', 'materialized')) {
        withNames.add(tokens[tokens.lastIndexOf('as', start) - 1] ?? '');
      }
    } else if (
      token === 'from'
        ? !(isAt(index - 1, 'distinct') && isAt(index - 2, 'is', 'not'))
        : isAt(index, 'join', 'straight_join')
    ) {
      isInFrom[isInFrom.length - 1] = true;
      expectsTable = true;
    } else if (token === ',' && isInFrom.at(-1)) {
      expectsTable = true;
    } else if (ENDS_FROM.has(token)) {
      isInFrom[isInFrom.length - 1] = false;
    } else if (expectsTable && !isAt(index, 'only', 'lateral')) {
      expectsTable = false;
      let end = index;
      while (isAt(end + 1, '.')) end += 2;
      if (isAt(end + 1, '(')) continue;
      const name = fullName(written.slice(index, end + 1).join(''));
      const isOfWith = end === index && withNames.has(token);
      if (!isOfWith && !tables.has(name) && token !== 'dual') return null;
      const aliasAt = isAt(end + 1, 'as') ? end + 2 : end + 1;
      const alias = tokens[aliasAt] ?? '';
      const hasAlias = NAME.test(alias) && !AFTER_TABLE.has(alias);
      // New names of its columns.
      if (hasAlias && isAt(aliasAt + 1, '(')) return null;
      if (!isOfWith && tables.has(name)) {
        const names = hasAlias ? [tokens[end] as string, alias] : [tokens[end] as string];
        if (names.some((alias) => (aliases.get(alias) ?? name) !== name)) return null;
        for (const alias of names) aliases.set(alias, name);
        tablePlaces.add(end).add(hasAlias ? aliasAt : end);
      }
      index = hasAlias ? aliasAt : end;
    }
  }
  const isWholeRow = (token: string, index: number) =>
    aliases.has(token) && !isAt(index + 1, '.') && !tablePlaces.has(index);
  if (tokens.some(isWholeRow)) return null;
  // Of a nested select, whose columns are named in it.
  const isNested = (star: number) => isAt(star - 1, '.') && !aliases.has(tokens[star - 2] ?? '');
  if (!stars.every(isNested)) return null;
  return tokens.flatMap((token, index) =>
    aliases.has(token) && isAt(index + 1, '.') && !tablePlaces.has(index + 2)
      ? [[aliases.get(token) ?? '', tokens[index + 2] ?? ''] as const]
      : [],
  );
}

/** `count(*)`, or a multiplication. */
function isHarmlessStar(tokens: readonly string[], index: number): boolean {
  const [before = '', after = ''] = [tokens[index - 1], tokens[index + 1]];
  if (before === '(' && after === ')') return true;
  const isFactor = (token: string) =>
    /^[\p{L}\p{N}_]/u.test(token) && !/^(?:select|distinct|all|from|where)$/.test(token);
  return (before === ')' || isFactor(before)) && (after === '(' || isFactor(after));
}

function keysOf({ table, touches }: CapturedTable) {
  const keys = touches === 'everything' ? [] : Object.values(touches);
  return keys.map((sql) => ({ sql, changed: fullName(table) }));
}

function plain(token: string): string {
  return (/^["`]/.test(token) ? token.slice(1, -1) : token).toLowerCase();
}

/** Names that differ in case may be those of a table and a view. */
function fullName(table: string): string {
  return table.replaceAll(LOWER_CASE_NAME, '$2').replace(/^public\./, '');
}
