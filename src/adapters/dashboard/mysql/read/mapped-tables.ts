import type { Knex } from 'knex';
import { BLOG_COUNTS, mappedColumnOf } from '../../../../domain/model/blog-fields.js';
import type { RowKind } from '../../../../domain/model/read-model.js';
import { MAX_TERMS } from '../../../../domain/policies/row-refusal.js';
import { queryRows } from '../../../sql/mysql/query-rows.js';
import { type DashboardMapping, inlined, type SourceName, zoneOf } from '../../mapping/dashboard-mapping.js';
import { MAPPED_COLUMNS } from '../../mapping/mapped-columns.js';
import { bytesOfTerm } from '../../source/source-statements.js';
import {
  type Described,
  LINKS_TO,
  SOURCE_OF,
  type SourceTables,
  type StatementForIds,
  type Stored,
  type TermKind,
  TIME_FIELDS,
} from '../../source/source-tables.js';
import { epochIn } from './epoch-in.js';
import { literal } from './quoted.js';

const NUMBERS: readonly string[] = ['sortOrder', ...BLOG_COUNTS];
const LITERAL_INTEGER = /^-?\d{1,20}$/;

/** The selects of a mapping as tables for other statements. */
export class MappedTables implements SourceTables {
  constructor(
    private readonly mapping: DashboardMapping,
    private readonly description: Described,
  ) {}

  /** A select as a table of a statement; an empty one if the dashboard has none. */
  table(source: SourceName, alias: string): string {
    const select = this.mapping.selects[source] ?? emptySelect(source);
    return `${inlined(select)} as ${alias}`;
  }

  /** A column, or its fallback if the select lacks it or the value is null. */
  column(source: SourceName, alias: string, column: string): string {
    const { fallback = null, ifNull = fallback } = MAPPED_COLUMNS[source][column] ?? {};
    const literalOf = (value: typeof fallback) =>
      typeof value === 'string' ? literal(value) : String(value);
    if (this.description[source]?.[column] === undefined) return literalOf(fallback);
    return ifNull === null ? `${alias}.${column}` : `coalesce(${alias}.${column}, ${literalOf(ifNull)})`;
  }

  text(value: string): string {
    return `convert(${value} using utf8mb4)`;
  }

  /** Each key is compared in the type of the column, so that its index can be used. */
  isOneOf(source: SourceName, alias: string, column: string, keys: readonly string[]): string {
    const literals = keys.flatMap((key) => this.#literal(source, column, key) ?? []);
    return literals.length === 0 ? 'false' : `${alias}.${column} in (${literals.join(', ')})`;
  }

  isAfter(source: SourceName, alias: string, column: string, key: string): string | null {
    const value = this.#literal(source, column, key);
    return value === null ? null : `${alias}.${column} > ${value}`;
  }

  isAmong(value: string, select: string): string {
    return `${value} in (${select})`;
  }

  rows(database: Knex, { source, sql }: StatementForIds, ids: readonly string[]) {
    return queryRows<Stored>(database, sql(this.isOneOf(source, 'mapped', 'id', ids)));
  }

  links(kind: TermKind): StatementForIds {
    const { source, column } = LINKS_TO[kind];
    return {
      name: `links_to_${kind}`,
      source: 'blogs',
      sql: (isRequested) => `select blogId, termId, bytes from (
        select blogId, termId, sum(bytes) over (partition by blogId) as bytes, row_number() over (partition by blogId) as nth from (
          select distinct mapped.id as blogId, term.id as termId, ${bytesOfTerm(this, kind, 'term')} as bytes from ${this.table(source, 'link')}
          join ${this.table('blogs', 'mapped')} on mapped.id = link.blog_id
          join ${this.table(kind, 'term')} on term.id = link.${column} where ${isRequested}
        ) as linked
      ) as numbered where nth <= ${MAX_TERMS + 1}`,
    };
  }

  /** Every value arrives as text, or null. */
  convert(kind: RowKind, row: Stored): string | null {
    for (const [field, value] of Object.entries(row)) {
      if (typeof value !== 'string') continue;
      if (value.includes('\0')) {
        return `${mappedColumnOf(field)} contains the character NUL, which PostgreSQL cannot store`;
      }
      // The type of the dashboard's column may allow other values than integers.
      if (NUMBERS.includes(field)) row[field] = Math.trunc(Number(value));
      if (!TIME_FIELDS.includes(field)) continue;
      const time = mappedColumnOf(field);
      const moment = epochIn(this.#zoneOf(SOURCE_OF[kind], time), value);
      if (moment === null) return `${time} is ${value}, which is not a valid time`;
      row[field] = moment;
    }
    return null;
  }

  /** The zone of a time column. A checked mapping has one for each. */
  #zoneOf(source: SourceName, column: string): string {
    const isInUtc = this.description[source]?.[column]?.type === 'timestamp';
    return isInUtc ? 'UTC' : (zoneOf(this.mapping, source) ?? 'UTC');
  }

  /** Null: no row has such a key. */
  #literal(source: SourceName, column: string, key: string): string | null {
    const description = this.description[source]?.[column];
    if (description === undefined) return null;
    if (description.type !== 'integer') return literal(key);
    return LITERAL_INTEGER.test(key) ? key : null;
  }
}

function emptySelect(source: SourceName): string {
  const columns = Object.keys(MAPPED_COLUMNS[source]).map((column) => `null as ${column}`);
  return `select ${columns.join(', ')} from dual where false`;
}
