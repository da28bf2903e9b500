import type { ColumnType } from '../../mapping/mapped-columns.js';
import type { DescribedColumn } from '../read/described-select.js';
import { isIdType } from '../read/mapped-tables.js';

const TEXT_CATEGORY = 'S';
const ENUM_CATEGORY = 'E';
const WHOLE_NUMBERS = ['smallint', 'integer', 'bigint'];

export function columnType({ name, type, category }: DescribedColumn): ColumnType {
  const isText = category === TEXT_CATEGORY;
  return {
    shown: type,
    fits: {
      id: isIdType(type),
      text: isText,
      status: isText || category === ENUM_CATEGORY,
      number: WHOLE_NUMBERS.includes(type),
      time: type === 'timestamp with time zone',
    },
    isLocalTime: type === 'timestamp without time zone',
    conversions: {
      id: `${name}::text`,
      // As text, `bytea` begins with `\\x`, so no hash would ever match a key.
      text: type === 'bytea' ? `encode(${name}, 'hex')` : `${name}::text`,
      number: `${name}::integer`,
      time: type === 'date' ? `${name}::timestamp` : `${name}::timestamptz`,
    },
  };
}
