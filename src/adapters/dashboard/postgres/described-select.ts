import type { Knex } from 'knex';
import type { FieldDef } from 'pg';
import type { SourceName } from '../mapping/dashboard-mapping.js';
import { runStatement } from './run-statement.js';

/** A column as PostgreSQL describes it. */
export interface DescribedColumn {
  readonly name: string;
  /** As SQL names it, such as `timestamp with time zone`. */
  readonly type: string;
  /** Of PostgreSQL: `S` for text of any kind, `E` for an enum … */
  readonly category: string;
}

/** What a select is described as, where the mapping has one. */
export type Described = Readonly<Partial<Record<SourceName, readonly DescribedColumn[]>>>;

/** For use inside of another statement. */
export function inlined(select: string): string {
  // A comment at its end shall not go on.
  return `(\n${select}\n)`;
}

/** The columns of a select, which reads nothing for that. Throws PostgreSQL's error where it is not one. */
export async function describedSelect(database: Knex, select: string): Promise<readonly DescribedColumn[]> {
  const [described = []] = await describedSelects(database, [select]);
  return described;
}

/** Those of several selects, in their order; their types are asked for once. */
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
