import type { Knex } from 'knex';
import type { RowKind } from '../../../../domain/model/read-model.js';
import { MAX_TERMS } from '../../../../domain/policies/row-refusal.js';
import { run } from '../../../sql/postgres/query-rows.js';
import { type DashboardMapping, inlined, type SourceName } from '../../mapping/dashboard-mapping.js';
import { MAPPED_COLUMNS, type MappedColumn, REFERRED } from '../../mapping/mapped-columns.js';
import { bytesOfTerm } from '../../source/source-statements.js';
import {
  type Described,
  LINKS_TO,
  type SourceTables,
  type StatementForIds,
  type Stored,
  type TermKind,
  TIME_FIELDS,
} from '../../source/source-tables.js';
import { preparedForFew } from './prepared.js';
import { literal } from './quoted.js';

const TYPES = { time: 'timestamp with time zone', number: 'integer', text: 'text', status: 'text' };
const ID_WHERE_THERE_IS_NONE = 'text';

/**
 * The selects of a mapping with the same columns, whatever the dashboard's tables are. For a
 * checked mapping; otherwise its statements fail. Only described selects can be read.
 */
export class MappedTables implements SourceTables {
  constructor(
    private readonly mapping: DashboardMapping,
    private readonly description: Described,
  ) {}

  table(source: SourceName, alias: string): string {
    const columns = Object.entries(MAPPED_COLUMNS[source]).map(
      ([column, mapped]) => `${this.#value(source, column, mapped)} as ${column}`,
    );
    const select = this.mapping.selects[source];
    const rows = select === null ? 'where false' : `from ${inlined(select)} as mapped`;
    return `(select ${columns.join(', ')} ${rows}) as ${alias}`;
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

  async rows(
    database: Knex,
    { name, source, sql }: StatementForIds,
    requested: readonly string[],
  ): Promise<readonly Stored[]> {
    const type = this.#typeOf(source, 'id');
    const ids = writtenIn(type, requested);
    const statement = sql(`mapped.id = any($1::${type}[])`);
    return (await run<Stored>(database, statement, [ids], preparedForFew(name, statement, ids))).rows;
  }

  links(kind: TermKind): StatementForIds {
    const { source, column } = LINKS_TO[kind];
    const terms = `select distinct term.id::text as id, ${bytesOfTerm(this, kind, 'term')} as bytes
      from ${this.table(source, 'link')} join ${this.table(kind, 'term')} on term.id = link.${column} where link.blog_id = asked.id`;
    return {
      name: `links_to_${kind}`,
      source: 'blogs',
      sql: () =>
        `select asked.id::text as "blogId", linked.* from unnest($1::${this.#typeOf('blogs', 'id')}[]) as asked (id) cross join lateral (
          select id as "termId", sum(bytes) over () as bytes from (${terms}) as term limit ${MAX_TERMS + 1}) as linked`,
    };
  }

  convert(_kind: RowKind, row: Stored): null {
    for (const field of TIME_FIELDS) if (field in row) row[field] = toMillis(row[field]);
    return null;
  }

  /** The type of the ids that a column holds. */
  #typeOf(source: SourceName, column: string): string {
    return this.description[REFERRED[column] ?? source]?.id?.type ?? ID_WHERE_THERE_IS_NONE;
  }

  /** A column of a select in its type, or its fallback. */
  #value(source: SourceName, column: string, mapped: MappedColumn): string {
    const { kind, fallback = null, ifNull = fallback } = mapped;
    const literalOf = (value: typeof fallback) =>
      typeof value === 'string' ? literal(value) : String(value);
    const typeOfSelect = this.description[source]?.[column]?.type;
    const type = kind === 'id' ? this.#typeOf(source, column) : TYPES[kind];
    if (typeOfSelect === undefined) return `${literalOf(fallback)}::${type}`;
    const value = `mapped.${column}`;
    if (kind === 'id') return value;
    if (kind === 'time' && typeOfSelect === type) return value;
    if (kind === 'time') return `(${value} at time zone ${literal(this.mapping.timeZone ?? '')})`;
    const converted = `${value}::${type}`;
    return ifNull === null ? converted : `coalesce(${converted}, ${literalOf(ifNull)})`;
  }
}

/** The driver cuts times to milliseconds. `infinity` and times after the year 275760 are never. */
function toMillis(time: unknown): number | null {
  if (time === null) return null;
  return Number.isNaN(Number(time)) ? Number.POSITIVE_INFINITY : Number(time);
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

export function familyOf(type: string): IdType['family'] | null {
  return ID_TYPES[type]?.family ?? null;
}

/** The ids that this type can hold. No row has the others, which another mapping left. */
export function writtenIn(type: string, ids: readonly string[]): readonly string[] {
  const { isWritten } = ID_TYPES[type] ?? TEXT;
  return ids.filter(isWritten);
}
