import type { Knex } from 'knex';
import { BLOG_COUNTS, mappedColumnOf } from '../../../domain/model/blog-fields.js';
import type { RowKind } from '../../../domain/model/read-model.js';
import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import type { Snapshot, SourceDialect, Stored, Walk } from '../source/source-dialect.js';
import type { StatementForIds } from '../source/source-statements.js';
import { LINKS_TO, SOURCE_OF, type TermKind } from '../source/source-tables.js';
import { rejectionIn } from './read/is-outage.js';
import { nextKeysIn } from './read/keys-in-scope.js';
import { type MappedTables, readableTables } from './read/mapped-tables.js';
import { queryRows } from './read/query-rows.js';
import { epochIn } from './read/zoned-time.js';

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

  /** Once per connection, unless a select fails: a table change that alters the result of a select ends the connection. */
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
