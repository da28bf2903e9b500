import { columnName } from '../read/quoted.js';

/** The changed row, with a column of it if one is named. */
const CHANGED = /(?<![\p{L}\p{N}_$"])changed\b(?:\s*\.\s*("(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*))?/giu;

/** The columns of the changed row that a select names; null: all of them. */
export function columnsIn(select: string): readonly string[] | null {
  const columns = [...select.matchAll(CHANGED)].map(([, column]) => column);
  if (columns.includes(undefined)) return null;
  return [...new Set(columns.map((column = '') => columnName(column)))];
}
