import type { Knex } from 'knex';
import { BLOG_COUNTS } from '../../../domain/model/blog-fields.js';
import type { WalkedScope } from '../../../domain/model/job.js';
import type { RowKind, WebsiteOwner } from '../../../domain/model/read-model.js';
import { SHOWN_STATUS, type SourceReading, type SourceTypes } from '../../../domain/model/source.js';
import type { RowSizes } from '../../../domain/policies/row-limits.js';
import type { ContentSource } from '../../../domain/ports/content-source.js';
import { missingValue } from '../mapping/missing-value.js';
import { amongBadOnes, type Snapshot } from '../source/readable-rows.js';
import { splitBySize, withStoredSpellings } from '../split-by-size.js';
import { BlogTerms } from './blog-terms.js';
import { nextKeysIn } from './keys-in-scope.js';
import type { MappedTables } from './mapped-tables.js';
import { queryRow, queryRows } from './query-rows.js';
import { readableRows, rejectionIn, type Stored } from './readable-rows.js';
import { inSnapshot } from './snapshot.js';
import { digestedBlogs, rowsStatement, SOURCE_OF, sizesOf } from './source-statements.js';
import { numberIn, withoutNul } from './values.js';
import { epochIn } from './zoned-time.js';

const TIMES: Readonly<Record<string, string>> = {
  expiresAt: 'expires_at',
  revokedAt: 'revoked_at',
  publishedAt: 'published_at',
};
const NUMBERS: readonly string[] = ['sortOrder', ...BLOG_COUNTS];

/** The rows of a dashboard in MySQL or MariaDB, read through its mapping. */
export class MysqlContentSource implements ContentSource {
  /** `described` asks a database, or a snapshot of it, for the columns of the selects. */
  constructor(
    private readonly database: Knex,
    private readonly described: (database: Knex) => Promise<MappedTables>,
  ) {}

  async count(kind: RowKind): Promise<number> {
    const tables = await this.described(this.database);
    const { total } = await queryRow<{ total: string }>(
      this.database,
      `select count(*) as total from ${tables.table(SOURCE_OF[kind], 'mapped')}`,
    );
    return Number(total);
  }

  async owners(websiteIds: readonly string[]): Promise<readonly WebsiteOwner[]> {
    if (websiteIds.length === 0) return [];
    const tables = await this.described(this.database);
    const rows = await queryRows<{ id: string; organizationId: string }>(
      this.database,
      `select website.id, website.organization_id as organizationId from ${tables.table('websites', 'website')}
       where ${tables.isOneOf('websites', 'website', 'id', websiteIds)}`,
    );
    const owners = new Map(rows.map(({ id, organizationId }) => [id, organizationId]));
    return websiteIds.map((websiteId) => ({ websiteId, organizationId: owners.get(websiteId) ?? null }));
  }

  async keys(
    kind: RowKind,
    scope: WalkedScope,
    after: string | null,
    limit: number,
  ): Promise<readonly string[]> {
    const statement = nextKeysIn(await this.described(this.database), scope, kind, after, limit);
    const rows = await queryRows<{ id: string }>(this.database, statement);
    return rows.map(({ id }) => id);
  }

  async existing(kind: RowKind, ids: readonly string[]): Promise<readonly string[]> {
    const tables = await this.described(this.database);
    const source = SOURCE_OF[kind];
    const rows = await queryRows<{ id: string }>(
      this.database,
      `select mapped.id from ${tables.table(source, 'mapped')} where ${tables.isOneOf(source, 'mapped', 'id', ids)}`,
    );
    const requested = new Set(ids);
    return rows.map(({ id }) => id).filter((id) => requested.has(id));
  }

  /** Reads sizes first and then rows, from one snapshot: otherwise a row that grows in between would be read whatever its size. */
  read<Kind extends RowKind>(kind: Kind, ids: readonly string[]): Promise<SourceReading<Kind>> {
    return this.#readBy((tables, some) => rowsStatement(tables, kind, some), kind, ids);
  }

  readDigested(ids: readonly string[]): Promise<SourceReading<'blogs'>> {
    return this.#readBy(digestedBlogs, 'blogs', ids);
  }

  async #readBy<Kind extends RowKind>(
    statement: (tables: MappedTables, ids: readonly string[]) => string,
    kind: Kind,
    ids: readonly string[],
  ): Promise<SourceReading<Kind>> {
    const tables = await this.described(this.database);
    const readIn = async (database: Knex) => {
      const readSome = (some: readonly string[], outlivesFailures: boolean) =>
        readRows({ database, outlivesFailures }, tables, (each) => statement(tables, each), kind, some);
      try {
        return await readSome(ids, false);
      } catch (error) {
        if (rejectionIn(error) === null) throw error;
        return readSome(amongBadOnes(ids), true);
      }
    };
    return this.database.isTransaction ? readIn(this.database) : inSnapshot(this.database, readIn);
  }
}

async function readRows<Kind extends RowKind>(
  snapshot: Snapshot,
  tables: MappedTables,
  statement: (ids: readonly string[]) => string,
  kind: Kind,
  ids: readonly string[],
): Promise<SourceReading<Kind>> {
  const measured = await readableRows(snapshot, (some) => sizesOf(tables, kind, some), ids);
  const sizes = new Map(
    measured.rows.map(({ key, ...ofRow }) => [
      key as string,
      Object.fromEntries(
        Object.entries(ofRow).map(([field, bytes]) => [field, bytes === null ? null : Number(bytes)]),
      ) as RowSizes,
    ]),
  );
  let fits = splitBySize(withStoredSpellings(ids, sizes), sizes);
  const terms =
    kind === 'blogs' && fits.fitting.length > 0 ? await BlogTerms.of(snapshot, tables, fits.fitting) : null;
  if (terms !== null) {
    for (const id of fits.fitting) sizes.set(id, { ...sizes.get(id), ...terms.sizesOf(id) });
    fits = splitBySize(fits.checked, sizes);
  }
  const { checked, fitting, refused } = fits;
  refused.push(...measured.refused.filter(({ id }) => checked.includes(id)));
  const readable = await readableRows(snapshot, statement, fitting);
  refused.push(...readable.refused);
  const termsOf = await terms?.read(fitting);
  const rows: SourceTypes[Kind][] = [];
  for (const row of readable.rows) {
    const id = row.id as string;
    // The dashboard's collation may treat "Published" as equal.
    if (kind === 'blogs' && row.status !== SHOWN_STATUS) continue;
    const own = termsOf?.(id);
    const missing = missingValue(row);
    const reason = missing === null ? (own?.refused?.reason ?? withoutNul(row)) : `${missing} is null`;
    const read = reason ?? toSource(tables, kind, row);
    if (typeof read === 'string') refused.push({ id, reason: read });
    else rows.push({ ...read, ...own?.rows } as SourceTypes[Kind]);
  }
  return { ids: checked, rows, refused };
}

/** The source row, or why it cannot be shown. */
function toSource(tables: MappedTables, kind: RowKind, row: Stored): Record<string, unknown> | string {
  const read: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(row)) {
    const time = TIMES[field];
    read[field] = NUMBERS.includes(field) ? numberIn(value) : value;
    if (time === undefined || value === null) continue;
    const moment = epochIn(zoneOf(tables, kind, time), value);
    if (moment === null) return `${time} is ${value}, which is not a valid time`;
    read[field] = moment;
  }
  return read;
}

function zoneOf(tables: MappedTables, kind: RowKind, column: string): string {
  const zone = tables.zoneOf(SOURCE_OF[kind], column);
  if (zone !== null) return zone;
  throw new Error(`${SOURCE_OF[kind]}.${column} is a time without a time zone: set time_zone in the mapping`);
}
