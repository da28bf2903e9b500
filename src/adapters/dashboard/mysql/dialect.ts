import type { Knex } from 'knex';
import { BLOG_COUNTS, mappedColumnOf } from '../../../domain/model/blog-fields.js';
import type { RowKind } from '../../../domain/model/read-model.js';
import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import {
  LINKS_TO,
  type Snapshot,
  SOURCE_OF,
  type SourceDialect,
  type StatementForIds,
  type Stored,
  type TermKind,
  type Walk,
} from '../source/source-dialect.js';
import { nextKeysIn } from './read/keys-in-scope.js';
import { type MappedTables, readableTables } from './read/mapped-tables.js';
import { queryRows, rejectionIn } from './read/query-rows.js';

/** InnoDB reports it for a table that was created, truncated or rewritten after the snapshot. */
const TABLE_CHANGED = 'ER_TABLE_DEF_CHANGED';
const TIMES: Readonly<Record<string, string>> = {
  expiresAt: 'expires_at',
  revokedAt: 'revoked_at',
  publishedAt: 'published_at',
};
const NUMBERS: readonly string[] = ['sortOrder', ...BLOG_COUNTS];

/** How a connection reads the dashboard. Every value arrives as text, or null. */
export class Dialect implements SourceDialect<MappedTables> {
  readonly snapshotMode = { isolationLevel: 'repeatable read' } as const;
  #tables: MappedTables | null = null;

  constructor(private readonly mapping: DashboardMapping) {}

  /** Once per connection: a table change that alters a select ends the connection. */
  async tables(database: Knex): Promise<MappedTables> {
    if (this.#tables === null || this.#tables.refusals.size > 0) {
      this.#tables = await readableTables(database, this.mapping);
    }
    return this.#tables;
  }

  query(database: Knex, statement: string): Promise<readonly Stored[]> {
    return queryRows<Stored>(database, statement);
  }

  rows(
    { database }: Snapshot,
    tables: MappedTables,
    { source, sql }: StatementForIds,
    ids: readonly string[],
  ): Promise<readonly Stored[]> {
    return queryRows<Stored>(database, sql(tables.isOneOf(source, 'mapped', 'id', ids)));
  }

  async nextKeys(database: Knex, tables: MappedTables, walk: Walk): Promise<readonly string[]> {
    const next = nextKeysIn(walk, tables);
    const rows = next === null ? [] : await queryRows<{ id: string }>(database, next);
    return rows.map(({ id }) => id);
  }

  links(tables: MappedTables, kind: TermKind): StatementForIds {
    const { source, column } = LINKS_TO[kind];
    return {
      name: `links_to_${kind}`,
      source: 'blogs',
      sql: (
        isRequested,
      ) => `select mapped.id as blogId, term.id as termId from ${tables.table(source, 'link')}
        join ${tables.table('blogs', 'mapped')} on mapped.id = link.blog_id
        join ${tables.table(kind, 'term')} on term.id = link.${column} where ${isRequested}`,
    };
  }

  convert(tables: MappedTables, kind: RowKind, row: Stored): string | null {
    for (const [field, value] of Object.entries(row)) {
      if (typeof value !== 'string') continue;
      if (value.includes('\0')) {
        return `${mappedColumnOf(field)} contains the character NUL, which PostgreSQL cannot store`;
      }
      // The type of the dashboard's column may allow other values than integers.
      if (NUMBERS.includes(field)) row[field] = Math.trunc(Number(value));
      const time = TIMES[field];
      if (time === undefined) continue;
      const moment = epochIn(zoneOf(tables, kind, time), value);
      if (moment === null) return `${time} is ${value}, which is not a valid time`;
      row[field] = moment;
    }
    return null;
  }

  rejectionIn = rejectionIn;

  isSnapshotOutdated(error: unknown): boolean {
    return (error as { code?: string }).code === TABLE_CHANGED;
  }

  async requireSameTables(): Promise<void> {}
}

function zoneOf(tables: MappedTables, kind: RowKind, column: string): string {
  const zone = tables.zoneOf(SOURCE_OF[kind], column);
  if (zone !== null) return zone;
  throw new Error(`${SOURCE_OF[kind]}.${column} is a time without a time zone: set time_zone in the mapping`);
}

const MILLIS_IN_TEXT = 3;

/** Milliseconds of `2024-05-06 07:08:09.123456` in a time zone; null: no time, as MySQL allows. */
export function epochIn(zone: string, written: string): number | null {
  const [date = '', time = '00:00:00'] = written.split(' ');
  const [whole = '', fraction = ''] = time.split('.');
  const millis = fraction.slice(0, MILLIS_IN_TEXT).padEnd(MILLIS_IN_TEXT, '0');
  const inUtc = Date.parse(`${date}T${whole}.${millis}Z`);
  // JavaScript reads the 30th of February as the first of March.
  if (Number.isNaN(inUtc) || !new Date(inUtc).toISOString().startsWith(date)) return null;
  return zone === 'UTC' ? inUtc : fromLocal(zone, inUtc);
}

/** The local time is passed as if it were UTC. Of an hour that occurs twice, the first counts. */
function fromLocal(zone: string, localTime: number): number {
  const [before, after] = [offsetAt(zone, localTime - DAY_MS), offsetAt(zone, localTime + DAY_MS)];
  const moments = [...new Set([localTime - before, localTime - after])].toSorted((a, b) => a - b);
  // In spring, clocks skip an hour: a time within it is read as if they did not.
  return moments.find((moment) => moment + offsetAt(zone, moment) === localTime) ?? localTime - before;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function offsetAt(zone: string, moment: number): number {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, value]));
  const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
  const localDate = new Date(0);
  localDate.setUTCFullYear(
    parts.get('era') === 'BC' ? 1 - of('year') : of('year'),
    of('month') - 1,
    of('day'),
  );
  localDate.setUTCHours(of('hour'), of('minute'), of('second'));
  return localDate.getTime() - Math.floor(moment / 1_000) * 1_000;
}
