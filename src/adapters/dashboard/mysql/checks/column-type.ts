import type { ColumnType } from '../../mapping/mapped-columns.js';
import type { DescribedColumn } from '../read/mapped-tables.js';

/** The driver's numbers for types. */
const NUMBERS_OF_TYPES = {
  integer: [1, 2, 3, 8, 9, 13, 16],
  decimal: [0, 4, 5, 246],
  timestamp: [7],
  datetime: [10, 12],
  text: [15, 245, 247, 248, 249, 250, 251, 252, 253, 254],
  null: [6],
};
const BINARY = 63;

export function columnType({ name, columnType: number, characterSet }: DescribedColumn): ColumnType {
  const types = Object.entries(NUMBERS_OF_TYPES);
  const type = types.find(([, numbers]) => numbers.includes(number))?.[0] ?? 'other';
  const word = type === 'text' && characterSet === BINARY ? 'binary' : type;
  const isOne = (...expected: readonly string[]) => [...expected, 'null'].includes(word);
  return {
    shown: word,
    fits: {
      id: isOne('integer', 'text'),
      text: word !== 'binary',
      status: word !== 'binary',
      number: isOne('integer', 'decimal'),
      time: isOne('timestamp'),
    },
    isLocalTime: word === 'datetime',
    conversions: {
      id: word === 'binary' ? `hex(${name})` : `cast(${name} as char)`,
      text: `convert(${name} using utf8mb4)`,
      number: `cast(${name} as signed)`,
      time: `from_unixtime(${name})`,
    },
  };
}
