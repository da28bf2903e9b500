import { isSelect } from '../../mapping/dashboard-mapping.js';

/** Strings, quoted names and comments as a whole; words; everything else as single characters. */
export const TOKENS =
  /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)*`|--[^\n]*|\/\*[\s\S]*?\*\/|[\p{L}_$][\p{L}\p{N}_$]*|[\s\S]/gu;
const CHANGED = 'changed';

/**
 * A key of the mapping, with each column of the changed row replaced by `read`. In an expression, every column of the table counts. In a
 * select, only names after `changed.` do: other names may belong to other tables.
 */
export function overChangedRow(
  key: string,
  columns: readonly string[],
  read: (column: string) => string,
): string {
  const byName = new Map(columns.map((column) => [column.toLowerCase(), column]));
  const tokens = key.match(TOKENS) ?? [];
  const isBare = !isSelect(key);
  let sql = '';
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as string;
    const qualified = nameOf(token) === CHANGED && tokens[at + 1] === '.' ? tokens[at + 2] : undefined;
    if (qualified !== undefined && tokens[at - 1] !== '.') {
      sql += read(byName.get(nameOf(qualified)) ?? nameOf(qualified));
      at += 2;
      continue;
    }
    const column = isBare && tokens[at - 1] !== '.' ? byName.get(nameOf(token)) : undefined;
    const isColumn = column !== undefined && tokens[at + 1] !== '.' && tokens[at + 1] !== '(';
    sql += isColumn ? read(column) : token;
  }
  return sql;
}

/** The columns of the changed row that a key reads. */
export function columnsIn(key: string, columns: readonly string[]): readonly string[] {
  const found = new Set<string>();
  overChangedRow(key, columns, (column) => {
    found.add(column);
    return column;
  });
  return [...found];
}

function nameOf(token: string): string {
  return (token.startsWith('`') ? token.slice(1, -1).replaceAll('``', '`') : token).toLowerCase();
}
