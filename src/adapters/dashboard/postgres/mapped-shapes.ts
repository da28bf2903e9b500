import type { Knex } from 'knex';
import type { RowKind } from '../../../domain/model/read-model.js';
import {
  type DashboardMapping,
  presentSelects,
  SOURCES,
  type SourceName,
} from '../mapping/dashboard-mapping.js';
import { MAPPED_COLUMNS, type MappedColumn } from '../mapping/mapped-columns.js';
import { checkColumns } from './check-columns.js';
import { type Described, describedSelects, inlined } from './described-select.js';
import { prepareAnew, preparedGeneration } from './prepared.js';
import { type TableName, tableName } from './table-name.js';

/** Of which rows a column holds the id: it is compared with theirs. */
const REFERRED: Readonly<Record<string, SourceName>> = {
  website_id: 'websites',
  parent_id: 'categories',
  blog_id: 'blogs',
  category_id: 'categories',
  tag_id: 'tags',
};
const WITH_ZONE = 'timestamp with time zone';
const ID_WHERE_THERE_IS_NONE = 'text';

/** The rows of a mapping as all statements take them: subqueries with the same columns, whatever the tables are. */
export interface MappedShapes {
  readonly from: Readonly<Record<SourceName, string>>;
  /** The type of the ids. */
  readonly idType: Readonly<Record<SourceName, string>>;
}

export async function describedMapping(database: Knex, mapping: DashboardMapping): Promise<Described> {
  const present = presentSelects(mapping);
  const described = await describedSelects(
    database,
    present.map(({ select }) => select),
  );
  return Object.fromEntries(present.map(({ name }, at) => [name, described[at]]));
}

/** Of a mapping that passed the check, or will fail in PostgreSQL's words. */
export function shapesOf({ selects, timeZone }: DashboardMapping, described: Described): MappedShapes {
  const idTypeOf = (name: SourceName) =>
    described[name]?.find((column) => column.name === 'id')?.type ?? ID_WHERE_THERE_IS_NONE;
  const idType = Object.fromEntries(SOURCES.map((name) => [name, idTypeOf(name)])) as MappedShapes['idType'];
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
    from: Object.fromEntries(SOURCES.map((name) => [name, shapeOf(name)])) as MappedShapes['from'],
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

/** The shapes that a connection reads by. They are asked for once, and anew where statements have to be. */
export class MappedDashboard {
  /** All that the selects read. */
  readonly tables: readonly TableName[];
  #shapes: MappedShapes | null = null;
  #generation = 0;

  constructor(readonly mapping: DashboardMapping) {
    this.tables = mapping.captures.map(({ table }) => tableName(table));
  }

  /** To read rows of a kind; left out: of all. That others do not fit shall not keep a key that was revoked valid. */
  async shapes(database: Knex, kind?: RowKind): Promise<MappedShapes> {
    if (this.#shapes !== null && this.#generation === preparedGeneration()) return this.#shapes;
    const generation = preparedGeneration();
    const described = await describedMapping(database, this.mapping);
    const errors = this.#misfits(described);
    const { api_keys = [] } = described;
    const inTheWay = kind === 'apiKeys' ? this.#misfits({ api_keys }) : errors;
    if (inTheWay.length > 0) throw new Error(`The mapping does not fit the tables: ${inTheWay.join('; ')}`);
    const shapes = shapesOf(this.mapping, described);
    if (errors.length === 0) {
      this.#shapes = shapes;
      this.#generation = generation;
    }
    return shapes;
  }

  /**
   * A column may have another type by now, in which there are ids that it did not have before; or one that does not do, which is answered: with
   * a status that is no text, say, no blog would be shown.
   */
  async lookAgain(database: Knex): Promise<readonly string[]> {
    const described = await describedMapping(database, this.mapping);
    const isOther =
      this.#shapes !== null &&
      JSON.stringify(shapesOf(this.mapping, described)) !== JSON.stringify(this.#shapes);
    if (isOther) prepareAnew();
    return this.#misfits(described);
  }

  #misfits(described: Described): readonly string[] {
    return checkColumns(this.mapping, described).errors;
  }
}
