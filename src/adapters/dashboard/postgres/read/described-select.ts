import type { Knex } from 'knex';
import type { FieldDef } from 'pg';
import type { SourceName } from '../../mapping/dashboard-mapping.js';
import { runStatement } from './run-statement.js';

/** PostgreSQL's description of a column. */
export interface DescribedColumn {
  readonly name: string;
  /** The type's name in SQL, such as `timestamp with time zone`. */
  readonly type: string;
  /** PostgreSQL's type category: `S` for all text types, `E` for enums … */
  readonly category: string;
}

/** The description of each select that the mapping has. */
export type Described = Readonly<Partial<Record<SourceName, readonly DescribedColumn[]>>>;

/** For use inside another statement. */
export function inlined(select: string): string {
  // A comment at its end must not swallow what follows.
  return `(\n${select}\n)`;
}

/** The columns of a select, without reading rows. Throws PostgreSQL's error if the select is invalid. */
export async function describedSelect(database: Knex, select: string): Promise<readonly DescribedColumn[]> {
  const [described = []] = await describedSelects(database, [select]);
  return described;
}

/** The columns of several selects, in their order. The types are queried once. */
export async function describedSelects(
  database: Knex,
  selects: readonly string[],
): Promise<readonly (readonly DescribedColumn[])[]> {
  const described: (readonly FieldDef[])[] = [];
  for (const select of selects) {
    const { fields } = await runStatement(database, `select * from ${inlined(select)} as mapped limit 0`);
    described.push(fields);
  }
  const { rows } = await runStatement<{ oid: number; type: string; category: string }>(
    database,
    'select oid, format_type(oid, null) as type, typcategory as category from pg_type where oid = any($1::oid[])',
    [described.flat().map(({ dataTypeID }) => dataTypeID)],
  );
  const types = new Map(rows.map(({ oid, ...type }) => [oid, type]));
  return described.map((fields) =>
    fields.map(({ name, dataTypeID }) => ({ name, type: '', category: '', ...types.get(dataTypeID) })),
  );
}
