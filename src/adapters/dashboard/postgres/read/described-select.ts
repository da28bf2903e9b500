import type { Knex } from 'knex';
import { run } from '../../../sql/postgres/query-rows.js';
import { inlined } from '../../mapping/dashboard-mapping.js';
import type { TypedColumn, TypedColumns } from '../../mapping/mapped-columns.js';
import { familyOf } from './mapped-tables.js';

const TEXT_CATEGORY = 'S';
const ENUM_CATEGORY = 'E';
const WHOLE_NUMBERS = ['smallint', 'integer', 'bigint'];

/** A type in the catalogue. */
interface Type {
  /** In SQL, such as `timestamp with time zone`. */
  readonly type: string;
  /** `S` for all text types, `E` for enums … */
  readonly category: string;
}

/** The columns of a select, without reading rows. Throws PostgreSQL's error if it is invalid. */
export async function describedSelect(database: Knex, select: string): Promise<TypedColumns> {
  const { fields } = await run(database, `select * from ${inlined(select)} as mapped limit 0`);
  const { rows } = await run<Type & { oid: number }>(
    database,
    'select oid, format_type(oid, null) as type, typcategory as category from pg_type where oid = any($1::oid[])',
    [fields.map(({ dataTypeID }) => dataTypeID)],
  );
  const types = new Map(rows.map(({ oid, ...type }) => [oid, type]));
  return Object.fromEntries(
    fields.map(({ name, dataTypeID }) => [
      name,
      typedColumn(name, types.get(dataTypeID) ?? { type: '', category: '' }),
    ]),
  );
}

function typedColumn(name: string, { type, category }: Type): TypedColumn {
  const isText = category === TEXT_CATEGORY;
  return {
    type,
    fits: {
      id: familyOf(type) !== null,
      text: isText,
      status: isText || category === ENUM_CATEGORY,
      number: WHOLE_NUMBERS.includes(type),
      time: type === 'timestamp with time zone',
    },
    idFamily: familyOf(type),
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
