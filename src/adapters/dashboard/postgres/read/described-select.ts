import type { Knex } from 'knex';
import { inlined } from '../../mapping/dashboard-mapping.js';
import { runStatement } from './query-rows.js';

/** PostgreSQL's description of a column. */
export interface DescribedColumn {
  readonly name: string;
  /** The type's name in SQL, such as `timestamp with time zone`. */
  readonly type: string;
  /** PostgreSQL's type category: `S` for all text types, `E` for enums … */
  readonly category: string;
}

/** The columns of a select, without reading rows. Throws PostgreSQL's error if it is invalid. */
export async function describedSelect(database: Knex, select: string): Promise<readonly DescribedColumn[]> {
  const { fields } = await runStatement(database, `select * from ${inlined(select)} as mapped limit 0`);
  const { rows } = await runStatement<{ oid: number; type: string; category: string }>(
    database,
    'select oid, format_type(oid, null) as type, typcategory as category from pg_type where oid = any($1::oid[])',
    [fields.map(({ dataTypeID }) => dataTypeID)],
  );
  const types = new Map(rows.map(({ oid, ...type }) => [oid, type]));
  return fields.map(({ name, dataTypeID }) => ({ name, type: '', category: '', ...types.get(dataTypeID) }));
}
