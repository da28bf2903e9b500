import { type DashboardMapping, SOURCES, type SourceName } from '../mapping/dashboard-mapping.js';
import { MAPPED_COLUMNS, type MappedColumn } from '../mapping/mapped-columns.js';
import { type Described, inlined } from './described-select.js';

/** The source whose ids a column holds, and is compared with. */
const REFERRED: Readonly<Record<string, SourceName>> = {
  website_id: 'websites',
  parent_id: 'categories',
  blog_id: 'blogs',
  category_id: 'categories',
  tag_id: 'tags',
};
const WITH_ZONE = 'timestamp with time zone';
const ID_WHERE_THERE_IS_NONE = 'text';

/**
 * The rows of a mapping in the form that all statements use: subqueries with the same columns, whatever the tables are. Only for selects
 * that were described.
 */
export interface MappedShapes {
  readonly from: Readonly<Record<SourceName, string>>;
  /** The type of the ids. */
  readonly idType: Readonly<Record<SourceName, string>>;
}

/** For a mapping that passed the check; otherwise the statements fail with PostgreSQL's error. `names`: the selects that are needed. */
export function shapesOf(
  { selects, timeZone }: DashboardMapping,
  described: Described,
  names: readonly SourceName[] = SOURCES,
): MappedShapes {
  const idTypeOf = (name: SourceName) =>
    described[name]?.find((column) => column.name === 'id')?.type ?? ID_WHERE_THERE_IS_NONE;
  const idType = Object.fromEntries(names.map((name) => [name, idTypeOf(name)])) as MappedShapes['idType'];
  const shapeOf = (name: SourceName) => {
    const types = new Map(described[name]?.map((column) => [column.name, column.type]));
    const columns = Object.entries(MAPPED_COLUMNS[name]).map(([column, mapped]) => {
      const type = types.get(column);
      const missing = { type: idType[REFERRED[column] ?? name], fallback: mapped.fallback ?? null };
      return `${type === undefined ? constant(mapped, missing) : present(column, mapped, type, timeZone)} as ${column}`;
    });
    const select = selects[name];
    if (select === null) return `(select ${columns.join(', ')} where false)`;
    return `(select ${columns.join(', ')} from ${inlined(select)} as mapped)`;
  };
  return {
    from: Object.fromEntries(names.map((name) => [name, shapeOf(name)])) as MappedShapes['from'],
    idType,
  };
}

function constant(
  { kind }: MappedColumn,
  { type, fallback }: { type: string; fallback: string | number | null },
): string {
  if (kind === 'id') return `null::${type}`;
  if (kind === 'time') return `null::${WITH_ZONE}`;
  if (kind === 'number') return `${fallback}::integer`;
  return fallback === null ? 'null::text' : `'${fallback}'::text`;
}

function present(
  column: string,
  { kind, fallback, ifNull: given }: MappedColumn,
  type: string,
  timeZone: string | null,
): string {
  const value = `mapped.${column}`;
  const ifNull = given ?? fallback ?? null;
  if (kind === 'id') return value;
  if (kind === 'time')
    return type === WITH_ZONE ? value : `(${value} at time zone '${timeZone?.replaceAll("'", "''")}')`;
  const converted = `${value}::${kind === 'number' ? 'integer' : 'text'}`;
  if (ifNull === null) return converted;
  return `coalesce(${converted}, ${kind === 'number' ? ifNull : `'${ifNull}'`})`;
}
