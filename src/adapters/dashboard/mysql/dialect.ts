import type { Knex } from 'knex';
import { BLOG_COUNTS, mappedColumnOf } from '../../../domain/model/blog-fields.js';
import type { RowKind } from '../../../domain/model/read-model.js';
import {
  type Described,
  LINKS_TO,
  SOURCE_OF,
  SourceDialect,
  type StatementForIds,
  type Stored,
  type TermKind,
  TIME_FIELDS,
} from '../source/source-dialect.js';
import { describedSelect } from './read/described-select.js';
import { MappedTables } from './read/mapped-tables.js';
import { queryRows, rejectionIn } from './read/query-rows.js';

/** InnoDB reports it for a table that was created, truncated or rewritten after the snapshot. */
const TABLE_CHANGED = 'ER_TABLE_DEF_CHANGED';
const NUMBERS: readonly string[] = ['sortOrder', ...BLOG_COUNTS];

/** Every value arrives as text, or null. */
export class Dialect extends SourceDialect<MappedTables> {
  readonly snapshotMode = { isolationLevel: 'repeatable read' } as const;

  describe = describedSelect;

  tablesOf(columnsOf: Described): MappedTables {
    return new MappedTables(this.mapping, columnsOf);
  }

  query(database: Knex, statement: string): Promise<readonly Stored[]> {
    return queryRows<Stored>(database, statement);
  }

  rows(
    database: Knex,
    tables: MappedTables,
    { source, sql }: StatementForIds,
    ids: readonly string[],
  ): Promise<readonly Stored[]> {
    return queryRows<Stored>(database, sql(tables.isOneOf(source, 'mapped', 'id', ids)));
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
      if (!TIME_FIELDS.includes(field)) continue;
      const time = mappedColumnOf(field);
      const moment = epochIn(tables.zoneOf(SOURCE_OF[kind], time), value);
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

/**
 * The local time is passed as if it were UTC. Of an hour that occurs twice, the second counts, as
 * on PostgreSQL; one that clocks skip is read as if they did not.
 */
function fromLocal(zone: string, localTime: number): number {
  const later = localTime - offsetAt(zone, localTime + DAY_MS);
  return later + offsetAt(zone, later) === localTime ? later : localTime - offsetAt(zone, localTime - DAY_MS);
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** From `GMT`, `GMT+05:30` or `GMT-00:44:30`. */
function offsetAt(zone: string, moment: number): number {
  const format =
    formats.get(zone) ?? new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  formats.set(zone, format);
  const written = format.formatToParts(moment).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d+):(\d+)(?::(\d+))?/.exec(written) ?? [];
  const size = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
  return sign === '-' ? -size : size;
}
