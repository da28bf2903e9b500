import { type DashboardMapping, inlined, SOURCES, type SourceName } from '../../mapping/dashboard-mapping.js';
import { MAPPED_COLUMNS, type MappedColumn } from '../../mapping/mapped-columns.js';
import type { Described, SourceTables } from '../../source/source-dialect.js';
import { literal } from './quoted.js';

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

/** The selects of a mapping with the same columns, whatever the dashboard's tables are. */
export class MappedTables implements SourceTables {
  constructor(
    /** Subqueries. */
    private readonly from: Readonly<Record<SourceName, string>>,
    /** The type of the ids. */
    readonly idType: Readonly<Record<SourceName, string>>,
  ) {}

  table(source: SourceName, alias: string): string {
    return `${this.from[source]} as ${alias}`;
  }

  column(_source: SourceName, alias: string, column: string): string {
    return `${alias}.${column}`;
  }

  text(value: string): string {
    return `${value}::text`;
  }

  isOneOf(source: SourceName, alias: string, column: string, keys: readonly string[]): string {
    const type = this.#typeOf(source, column);
    const literals = writtenIn(type, keys).map(literal);
    return `${alias}.${column} = any(array[${literals.join(', ')}]::${type}[])`;
  }

  isAfter(source: SourceName, alias: string, column: string, key: string): string | null {
    const type = this.#typeOf(source, column);
    return writtenIn(type, [key]).length === 0 ? null : `${alias}.${column} > ${literal(key)}::${type}`;
  }

  /** A subquery. Of joined tables PostgreSQL orders at most eight, and a category may need five. */
  isAmong(value: string, select: string): string {
    return `${value} = any(array(${select}))`;
  }

  #typeOf(source: SourceName, column: string): string {
    return this.idType[REFERRED[column] ?? source];
  }
}

/** For a checked mapping; otherwise its statements fail. Only described selects can be read. */
export function mappedTables({ selects, timeZone }: DashboardMapping, columnsOf: Described): MappedTables {
  const idTypeOf = (name: SourceName) =>
    columnsOf[name]?.find((column) => column.name === 'id')?.type ?? ID_WHERE_THERE_IS_NONE;
  const idType = Object.fromEntries(SOURCES.map((name) => [name, idTypeOf(name)])) as MappedTables['idType'];
  const shapeOf = (name: SourceName) => {
    const types = new Map(columnsOf[name]?.map((column) => [column.name, column.type]));
    const columns = Object.entries(MAPPED_COLUMNS[name]).map(([column, mapped]) => {
      const type = types.get(column);
      const missing = { type: idType[REFERRED[column] ?? name], fallback: mapped.fallback ?? null };
      return `${type === undefined ? constant(mapped, missing) : convert(column, mapped, type, timeZone)} as ${column}`;
    });
    const select = selects[name];
    if (select === null) return `(select ${columns.join(', ')} where false)`;
    return `(select ${columns.join(', ')} from ${inlined(select)} as mapped)`;
  };
  const from = Object.fromEntries(SOURCES.map((name) => [name, shapeOf(name)]));
  return new MappedTables(from as Readonly<Record<SourceName, string>>, idType);
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

function convert(
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

/** Types of ids whose text is the same everywhere, and that PostgreSQL's index finds. */
interface IdType {
  /** Types of one family can be compared by an index. */
  readonly family: 'text' | 'number' | 'uuid';
  /** Whether a text is what PostgreSQL writes for a value of this type. */
  readonly isWritten: (id: string) => boolean;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const WHOLE_NUMBER = /^(0|-?[1-9]\d{0,18})$/;

function wholeNumber(bits: bigint): IdType {
  const limit = 2n ** (bits - 1n);
  return {
    family: 'number',
    isWritten: (id) => WHOLE_NUMBER.test(id) && BigInt(id) >= -limit && BigInt(id) < limit,
  };
}

const TEXT: IdType = { family: 'text', isWritten: (id) => !id.includes('\0') };

const ID_TYPES: Readonly<Record<string, IdType>> = {
  text: TEXT,
  'character varying': TEXT,
  uuid: { family: 'uuid', isWritten: (id) => UUID.test(id) },
  smallint: wholeNumber(16n),
  integer: wholeNumber(32n),
  bigint: wholeNumber(64n),
};

export function isIdType(type: string): boolean {
  return type in ID_TYPES;
}

export function familyOf(type: string): IdType['family'] | null {
  return ID_TYPES[type]?.family ?? null;
}

/** The ids that this type can hold. No row has the others, which another mapping left. */
export function writtenIn(type: string, ids: readonly string[]): readonly string[] {
  const { isWritten } = ID_TYPES[type] ?? TEXT;
  return ids.filter(isWritten);
}
