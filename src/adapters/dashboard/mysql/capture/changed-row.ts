import { isSelect } from '../../mapping/dashboard-mapping.js';

/** Strings, quoted names and comments as a whole; words; everything else as single characters. */
export const TOKENS =
  /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)*`|--[^\n]*|\/\*[\s\S]*?\*\/|[\p{L}_$][\p{L}\p{N}_$]*|[\s\S]/gu;
const CHANGED = 'changed';

/**
 * A key, with each column of the changed row replaced by `read`: in a select only after `changed.`.
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
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as string;
    const qualified = nameOf(token) === CHANGED && tokens[index + 1] === '.' ? tokens[index + 2] : undefined;
    if (qualified !== undefined && tokens[index - 1] !== '.') {
      sql += read(byName.get(nameOf(qualified)) ?? nameOf(qualified));
      index += 2;
      continue;
    }
    const column = isBare && tokens[index - 1] !== '.' ? byName.get(nameOf(token)) : undefined;
    const isColumn = column !== undefined && tokens[index + 1] !== '.' && tokens[index + 1] !== '(';
    sql += isColumn ? read(column) : token;
  }
  return sql;
}

/** The columns of the changed row that a key reads. */
export function columnsIn(key: string, columns: readonly string[]): readonly string[] {
  const changedColumns = new Set<string>();
  overChangedRow(key, columns, (column) => {
    changedColumns.add(column);
    return column;
  });
  return [...changedColumns];
}

function nameOf(token: string): string {
  return (token.startsWith('`') ? token.slice(1, -1).replaceAll('``', '`') : token).toLowerCase();
}
