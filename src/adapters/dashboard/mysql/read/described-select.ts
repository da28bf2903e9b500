import type { Knex } from 'knex';
import { inlined } from '../../mapping/dashboard-mapping.js';
import type { TypedColumn, TypedColumns } from '../../mapping/mapped-columns.js';

/** The driver's description of a column. */
interface Field {
  readonly name: string;
  readonly columnType: number;
  readonly characterSet: number;
}

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

/** The columns of a select, without reading rows. */
export async function describedSelect(database: Knex, select: string): Promise<TypedColumns> {
  const reply: unknown = await database.raw(`select * from ${inlined(select)} as mapped limit 0`);
  const [, fields] = reply as readonly [unknown, readonly Field[]];
  return Object.fromEntries(fields.map((field) => [field.name, typedColumn(field)]));
}

function typedColumn({ name, columnType, characterSet }: Field): TypedColumn {
  const types = Object.entries(NUMBERS_OF_TYPES);
  const type = types.find(([, numbers]) => numbers.includes(columnType))?.[0] ?? 'other';
  const word = type === 'text' && characterSet === BINARY ? 'binary' : type;
  const isOne = (...expected: readonly string[]) => [...expected, 'null'].includes(word);
  return {
    type: word,
    fits: {
      id: isOne('integer', 'text'),
      text: word !== 'binary',
      status: word !== 'binary',
      number: isOne('integer', 'decimal'),
      time: isOne('timestamp'),
    },
    idFamily: ['integer', 'text'].includes(word) ? word : null,
    isLocalTime: word === 'datetime',
    conversions: {
      id: word === 'binary' ? `hex(${name})` : `cast(${name} as char)`,
      text: `convert(${name} using utf8mb4)`,
      number: `cast(${name} as signed)`,
      time: `from_unixtime(${name})`,
    },
  };
}
