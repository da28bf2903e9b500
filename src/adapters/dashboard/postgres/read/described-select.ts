import type { Knex } from 'knex';
import type { FieldDef } from 'pg';
import type { SourceName } from '../../mapping/dashboard-mapping.js';
import { rolledBack, runStatement } from './query-rows.js';

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

/** The columns of a select, without reading rows. Throws PostgreSQL's error if it is invalid. */
export async function describedSelect(database: Knex, select: string): Promise<readonly DescribedColumn[]> {
  const [columns = []] = await describedSelects(database, [select]);
  return columns;
}

/** The columns of several selects, in their order. The types are queried once. */
export async function describedSelects(
  database: Knex,
  selects: readonly string[],
): Promise<readonly (readonly DescribedColumn[])[]> {
  const fieldsOfSelects: (readonly FieldDef[])[] = [];
  for (const select of selects) {
    const { fields } = await runStatement(database, `select * from ${inlined(select)} as mapped limit 0`);
    fieldsOfSelects.push(fields);
  }
  const { rows } = await runStatement<{ oid: number; type: string; category: string }>(
    database,
    'select oid, format_type(oid, null) as type, typcategory as category from pg_type where oid = any($1::oid[])',
    [fieldsOfSelects.flat().map(({ dataTypeID }) => dataTypeID)],
  );
  const types = new Map(rows.map(({ oid, ...type }) => [oid, type]));
  return fieldsOfSelects.map((fields) =>
    fields.map(({ name, dataTypeID }) => ({ name, type: '', category: '', ...types.get(dataTypeID) })),
  );
}

/** A table that is locked for longer than this is checked again at the next look. */
const LOCK_TIMEOUT = '20ms';
const LOCK_NOT_AVAILABLE = '55P03';
/** Errors that concern the statement, not the connection or the server (08, 53, 57). */
const OF_THE_STATEMENT = /^(?!08|53|57)[0-9A-Z]{5}$/;

/** A select of a mapping, or of one of its keys. */
interface NamedSelect {
  readonly name: string;
  readonly select: string;
}

interface Tried {
  readonly columnsOf: Readonly<Record<string, readonly DescribedColumn[]>>;
  readonly refusals: readonly Refusal[];
}

interface Refusal {
  readonly name: string;
  readonly code: string;
  /** PostgreSQL's message. */
  readonly message: string;
}

/** Describes selects while tables may change. One that is refused does not stop the others. */
export async function tryToDescribe(
  database: Knex,
  selects: readonly NamedSelect[],
  settings = '',
): Promise<Tried> {
  const columnsOf: Record<string, readonly DescribedColumn[]> = {};
  const refusals: Refusal[] = [];
  for (const { name, select } of selects) {
    try {
      columnsOf[name] = await rolledBack(database, async (attempt) => {
        await attempt.raw(`set local lock_timeout = '${LOCK_TIMEOUT}'; ${settings}`);
        return describedSelect(attempt, select);
      });
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (!OF_THE_STATEMENT.test(code)) throw error;
      if (code !== LOCK_NOT_AVAILABLE) refusals.push({ name, code, message: (error as Error).message });
    }
  }
  return { columnsOf, refusals };
}
