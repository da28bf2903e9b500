import type { SourceName } from './dashboard-mapping.js';
import { type ColumnKind, MAPPED_COLUMNS } from './mapped-columns.js';

/** Judges a column of a select. Null: its type is right; otherwise the expected type. */
export type JudgeType = (kind: ColumnKind, column: string) => string | null;

/** Columns that a select lacks, and columns of the wrong type. */
export function columnProblems(
  source: SourceName,
  present: readonly string[],
  judge: JudgeType,
): readonly string[] {
  return Object.entries(MAPPED_COLUMNS[source]).flatMap(([column, { kind, fallback }]) => {
    const count = present.filter((name) => name === column).length;
    if (count > 1) return [`${source}: the select has ${count} columns named ${column}; select it once`];
    if (count === 0) {
      return fallback === undefined
        ? [`${source}: there is no column ${column}; add \`… as ${column}\` to the select`]
        : [];
    }
    const expected = judge(kind, column);
    return expected === null ? [] : [`${source}: the column ${column} ${expected}`];
  });
}

/** Reports unknown columns: a misspelled name would be ignored otherwise. */
export function unusedColumns(source: SourceName, present: readonly string[]): readonly string[] {
  const known = Object.keys(MAPPED_COLUMNS[source]);
  const unused = present.filter((name) => !known.includes(name));
  if (unused.length === 0) return [];
  return [
    `${source}: the select has unknown columns, which are ignored: ${unused.join(', ')}; the known columns are ${known.join(', ')}`,
  ];
}
