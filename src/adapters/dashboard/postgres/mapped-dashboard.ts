import type { Knex } from 'knex';
import type { RowKind } from '../../../domain/model/read-model.js';
import {
  type DashboardMapping,
  presentSelects,
  SOURCES,
  type SourceName,
} from '../mapping/dashboard-mapping.js';
import { checkColumns } from './check-columns.js';
import { type Described, describedSelects } from './described-select.js';
import { type MappedShapes, shapesOf } from './mapped-shapes.js';
import { preparedGeneration, renamePrepared } from './prepared.js';
import { refusedKeys } from './refused-keys.js';
import { type TableName, tableName } from './table-name.js';
import { tryToDescribe } from './try-to-describe.js';

/** The selects that each kind of read needs. */
const READ_BY = {
  apiKeys: ['api_keys'],
  websites: ['websites'],
  categories: ['categories', 'websites'],
  tags: ['tags', 'websites'],
  blogs: ['blogs', 'websites', 'categories', 'tags', 'blog_categories', 'blog_tags'],
  all: SOURCES,
} satisfies Record<RowKind | 'websites' | 'all', readonly SourceName[]>;
type Read = keyof typeof READ_BY;

/**
 * The shapes with which a connection reads. Only those of the current read are queried, once, and again when statements have to be
 * prepared again. Others are not queried: a locked table or an invalid select must not keep a revoked key valid.
 */
export class MappedDashboard {
  /** All tables that the selects read. */
  readonly tables: readonly TableName[];
  readonly #shapes = new Map<Read, MappedShapes>();
  #generation = preparedGeneration();

  constructor(readonly mapping: DashboardMapping) {
    this.tables = mapping.captures.map(({ table }) => tableName(table));
  }

  async shapes(database: Knex, read: Read): Promise<MappedShapes> {
    if (this.#generation !== preparedGeneration()) this.#shapes.clear();
    this.#generation = preparedGeneration();
    const known = this.#shapes.get(read);
    if (known !== undefined) return known;
    const present = presentSelects(this.mapping).filter(({ name }) => isIn(READ_BY[read], name));
    const columns = await describedSelects(
      database,
      present.map(({ select }) => select),
    );
    const described = Object.fromEntries(present.map(({ name }, at) => [name, columns[at]]));
    const { errors } = checkColumns(this.mapping, described);
    if (errors.length > 0) throw new Error(`The mapping does not fit the tables: ${errors.join('; ')}`);
    const shapes = shapesOf(this.mapping, described, READ_BY[read]);
    this.#shapes.set(read, shapes);
    return shapes;
  }

  /**
   * Finds selects and keys that PostgreSQL no longer accepts, and columns whose type has become unsuitable: with a status that is not
   * text, for example, no blog would be shown. If a column has another suitable type, it may hold ids that it could not hold before, so it
   * is read again.
   */
  async refresh(database: Knex): Promise<readonly string[]> {
    const { described, refusals } = await tryToDescribe(database, presentSelects(this.mapping));
    if ([...this.#shapes].some(([read, shapes]) => this.#isOther(read, shapes, described))) renamePrepared();
    const reported = new Set(refusals.map(({ message }) => message));
    return [
      ...refusals.map(({ name, message }) => `${name}: ${message}`),
      ...checkColumns(this.mapping, described).errors,
      ...(await refusedKeys(database, this.mapping, reported)),
    ];
  }

  #isOther(read: Read, shapes: MappedShapes, described: Described): boolean {
    const sources = READ_BY[read];
    if (!sources.every((name) => this.mapping.selects[name] === null || name in described)) return false;
    return JSON.stringify(shapesOf(this.mapping, described, sources)) !== JSON.stringify(shapes);
  }
}

function isIn(sources: readonly SourceName[], name: SourceName): boolean {
  return sources.includes(name);
}
