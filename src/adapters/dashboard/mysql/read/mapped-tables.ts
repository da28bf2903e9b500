import type { Knex } from 'knex';
import { SelectFails } from '../../../../domain/errors.js';
import { type DashboardMapping, SOURCES, type SourceName } from '../../mapping/dashboard-mapping.js';
import { MAPPED_COLUMNS } from '../../mapping/mapped-columns.js';
import { FINDINGS } from '../../mapping/mapping-findings.js';
import type { SourceTables } from '../../source/source-dialect.js';
import { rejectionIn } from './query-rows.js';
import { name, text } from './quoted.js';

/** The server's description of a column of a select. */
export interface DescribedColumn {
  readonly name: string;
  readonly columnType: number;
  readonly characterSet: number;
}

type Description = Readonly<Partial<Record<SourceName, readonly DescribedColumn[]>>>;

/** The driver's numbers for types. */
const INTEGERS = [1, 2, 3, 8, 9];
const TIMESTAMP = 7;
const LITERAL_INTEGER = /^-?\d{1,20}$/;

/** The selects of a mapping as tables for other statements. */
export class MappedTables implements SourceTables {
  constructor(
    private readonly mapping: DashboardMapping,
    private readonly description: Description,
    /** Why the server refuses a select, by its name. Statements that need it fail. */
    readonly refusals: ReadonlyMap<SourceName, string> = new Map(),
  ) {}

  /** A select as a table of a statement; an empty one if the dashboard has none. */
  table(source: SourceName, alias: string): string {
    const refusal = this.refusals.get(source);
    if (refusal !== undefined) throw new SelectFails(FINDINGS.selectFails(source, refusal));
    const select = this.mapping.selects[source] ?? emptySelect(source);
    return `${inlined(select)} as ${alias}`;
  }

  /** A column, or its fallback if the select lacks it or the value is null. */
  column(source: SourceName, alias: string, column: string): string {
    const { fallback = null, ifNull = fallback } = MAPPED_COLUMNS[source][column] ?? {};
    const literalOf = (value: typeof fallback) => (typeof value === 'string' ? text(value) : String(value));
    if (this.#find(source, column) === undefined) return literalOf(fallback);
    return ifNull === null ? `${alias}.${column}` : `coalesce(${alias}.${column}, ${literalOf(ifNull)})`;
  }

  text(value: string): string {
    return value;
  }

  bytes(value: string): string {
    return `octet_length(convert(${value} using utf8mb4))`;
  }

  name(field: string): string {
    return name(field);
  }

  /** None: for each blog, the server would build anew a view of links that it cannot merge. */
  bytesOfLinks() {
    return {};
  }

  /** Each key is compared in the type of the column, so that its index can be used. */
  isOneOf(source: SourceName, alias: string, column: string, keys: readonly string[]): string {
    const literals = keys.flatMap((key) => this.#literal(source, column, key) ?? []);
    return literals.length === 0 ? 'false' : `${alias}.${column} in (${literals.join(', ')})`;
  }

  isAfter(source: SourceName, alias: string, column: string, key: string): string {
    const literal = this.#literal(source, column, key);
    return literal === null ? 'false' : `${alias}.${column} > ${literal}`;
  }

  /** The zone of a time column; null: unknown. */
  zoneOf(source: SourceName, column: string): string | null {
    return this.#find(source, column)?.columnType === TIMESTAMP ? 'UTC' : this.mapping.timeZone;
  }

  #find(source: SourceName, column: string): DescribedColumn | undefined {
    return this.description[source]?.find(({ name }) => name === column);
  }

  /** Null: no row has such a key. */
  #literal(source: SourceName, column: string, key: string): string | null {
    const isInteger = INTEGERS.includes(this.#find(source, column)?.columnType ?? -1);
    if (!isInteger) return text(key);
    return LITERAL_INTEGER.test(key) ? key : null;
  }
}

/** For use inside another statement. A comment at its end must not swallow what follows. */
function inlined(select: string): string {
  return `(\n${select}\n)`;
}

/** Selects that fail are left out: one of them must not keep a revoked key valid. */
export async function readableTables(database: Knex, mapping: DashboardMapping): Promise<MappedTables> {
  const columnsOf: Partial<Record<SourceName, readonly DescribedColumn[]>> = {};
  const refusals = new Map<SourceName, string>();
  for (const source of SOURCES) {
    const select = mapping.selects[source];
    if (select === null) continue;
    try {
      columnsOf[source] = await describeSelect(database, select);
    } catch (error) {
      const reason = rejectionIn(error);
      if (reason === null) throw error;
      refusals.set(source, reason);
    }
  }
  return new MappedTables(mapping, columnsOf, refusals);
}

export async function describeSelect(database: Knex, select: string): Promise<readonly DescribedColumn[]> {
  const reply: unknown = await database.raw(`select * from ${inlined(select)} as described limit 0`);
  return (reply as readonly [unknown, readonly DescribedColumn[]])[1];
}

function emptySelect(source: SourceName): string {
  const columns = Object.keys(MAPPED_COLUMNS[source]).map((column) => `null as ${column}`);
  return `select ${columns.join(', ')} from dual where false`;
}
