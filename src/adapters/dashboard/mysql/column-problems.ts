import type { ColumnKind } from '../mapping/mapped-columns.js';
import type { DescribedColumn } from './mapped-tables.js';

/** The driver's numbers for types. */
const DECIMALS = [0, 4, 5, 246];
const INTEGERS = [1, 2, 3, 8, 9, 13, 16];
const TIMESTAMP = 7;
const TIMES = [10, 12];
const NULL = 6;
const BINARY = 63;
/** A flag. */
const ZEROFILL = 64;
const TEXTS = [15, 245, 247, 248, 249, 250, 251, 252, 253, 254];

/** What is wrong with a column of a select, with what to write instead; null: nothing. */
export function problemOfColumn(
  where: string,
  kind: ColumnKind,
  { columnType, characterSet, flags }: DescribedColumn,
  timeZone: string | null,
): string | null {
  const isText = TEXTS.includes(columnType) && characterSet !== BINARY;
  const isBinary = TEXTS.includes(columnType) && characterSet === BINARY;
  if (columnType === NULL) return null;
  switch (kind) {
    case 'id':
      if (INTEGERS.includes(columnType) && flags & ZEROFILL) {
        return `${where}: it is ZEROFILL, so that one id is written in several ways: take the attribute from the column`;
      }
      if (isText || INTEGERS.includes(columnType)) return null;
      return isBinary
        ? `${where}: its type is binary: give the id as text, such as hex(id), or bin_to_uuid(id) on MySQL`
        : `${where}: its type is neither text nor an integer: give the id as text, such as cast(id as char)`;
    case 'text':
    case 'status':
      return isBinary
        ? `${where}: its type is binary, which has no characters: write convert(… using utf8mb4)`
        : null;
    case 'number':
      if (INTEGERS.includes(columnType) || DECIMALS.includes(columnType)) return null;
      return `${where}: its type is not a number: write cast(… as signed)`;
    case 'time':
      if (columnType === TIMESTAMP || (TIMES.includes(columnType) && timeZone !== null)) return null;
      return TIMES.includes(columnType)
        ? `${where}: its type is datetime, which has no zone: say time_zone in the mapping, such as time_zone: UTC`
        : `${where}: its type is not a time: write from_unixtime(…) or cast(… as datetime)`;
  }
}
