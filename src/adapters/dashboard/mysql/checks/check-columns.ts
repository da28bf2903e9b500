import type { ColumnKind, JudgeType } from '../../mapping/mapped-columns.js';
import type { DescribedColumn } from '../read/mapped-tables.js';

/** The driver's numbers for types. */
const DECIMALS = [0, 4, 5, 246];
const INTEGERS = [1, 2, 3, 8, 9, 13, 16];
const TIMESTAMP = 7;
const TIMES = [10, 12];
const NULL = 6;
const BINARY = 63;
const TEXTS = [15, 245, 247, 248, 249, 250, 251, 252, 253, 254];

/** Judges the columns of a select by the server's description of them. */
export function judgeOf(columns: readonly DescribedColumn[], timeZone: string | null): JudgeType {
  return (kind, column) => {
    const match = columns.find(({ name }) => name === column);
    return match === undefined ? null : judge(kind, match, timeZone);
  };
}

function judge(
  kind: ColumnKind,
  { name: column, columnType, characterSet }: DescribedColumn,
  timeZone: string | null,
): string | null {
  const isText = TEXTS.includes(columnType) && characterSet !== BINARY;
  const isBinary = TEXTS.includes(columnType) && characterSet === BINARY;
  if (columnType === NULL) return null;
  switch (kind) {
    case 'id':
      if (isText || INTEGERS.includes(columnType)) return null;
      return isBinary
        ? `is binary; expected text or an integer: write \`hex(${column}) as ${column}\`, or bin_to_uuid(…) on MySQL`
        : `is neither text nor an integer: write \`cast(${column} as char) as ${column}\``;
    case 'text':
    case 'status':
      return isBinary
        ? `is binary; expected text: write \`convert(${column} using utf8mb4) as ${column}\``
        : null;
    case 'number':
      if (INTEGERS.includes(columnType) || DECIMALS.includes(columnType)) return null;
      return `is not a number: write \`cast(${column} as signed) as ${column}\``;
    case 'time':
      if (columnType === TIMESTAMP || (TIMES.includes(columnType) && timeZone !== null)) return null;
      return TIMES.includes(columnType)
        ? 'is a datetime, which has no time zone: set time_zone, such as time_zone: UTC'
        : `is not a time: write \`from_unixtime(${column}) as ${column}\`, or cast(… as datetime)`;
  }
}
