import type { Knex } from 'knex';
import { SourceTooSlow } from '../../../domain/errors.js';
import type { WalkedScope } from '../../../domain/model/job.js';
import type { RowKind, WebsiteOwner } from '../../../domain/model/read-model.js';
import type { SourceReading, SourceTypes } from '../../../domain/model/source.js';
import type { RowSizes } from '../../../domain/policies/row-limits.js';
import type { ContentSource } from '../../../domain/ports/content-source.js';
import { missingValue } from '../mapping/missing-value.js';
import { amongBadOnes, type Snapshot } from '../source/readable-rows.js';
import { splitBySize, withStoredSpellings } from '../split-by-size.js';
import { BlogTerms } from './blog-terms.js';
import { inSnapshot, requireSameTables } from './dashboard-snapshot.js';
import { isTimeOver } from './is-time-over.js';
import { nextKeysIn } from './keys-in-scope.js';
import { limitedBySize } from './limited-by-size.js';
import type { MappedDashboard } from './mapped-dashboard.js';
import type { MappedShapes } from './mapped-shapes.js';
import { writtenIn } from './native-ids.js';
import { readableRows } from './readable-rows.js';
import { runStatement, Values } from './run-statement.js';
import { digestedBlogs, SOURCE_OF, type StatementForIds, sourceStatements } from './source-statements.js';

type Stored = Record<string, unknown>;

const TO_SOURCE: { readonly [Kind in RowKind]: (row: Stored) => SourceTypes[Kind] } = {
  apiKeys: (row) =>
    ({
      ...row,
      expiresAt: toMillis(row.expiresAt),
      revokedAt: toMillis(row.revokedAt),
    }) as SourceTypes['apiKeys'],
  categories: (row) => row as unknown as SourceTypes['categories'],
  tags: (row) => row as unknown as SourceTypes['tags'],
  blogs: (row) =>
    Object.assign(row, { publishedAt: toMillis(row.publishedAt) }) as unknown as SourceTypes['blogs'],
};

export class DashboardContentSource implements ContentSource {
  constructor(
    private readonly database: Knex,
    private readonly mapped: MappedDashboard,
    /** Only matters in a transaction: whether it survives a failed statement. */
    private readonly outlivesFailures = true,
  ) {}

  async count(kind: RowKind): Promise<number> {
    const { from } = await this.#shapes(kind);
    const counted = `select count(*) as total from ${from[SOURCE_OF[kind]]} as counted`;
    const { rows } = await runStatement<{ total: string }>(this.database, counted);
    return Number(rows[0]?.total);
  }

  async owners(websiteIds: readonly string[]): Promise<readonly WebsiteOwner[]> {
    const { from, idType } = await this.#shapes('websites');
    const { rows } = await runStatement<WebsiteOwner>(
      this.database,
      `select id::text as "websiteId", organization_id::text as "organizationId" from ${from.websites} as website
       where id = any($1::${idType.websites}[])`,
      [writtenIn(idType.websites, websiteIds)],
    );
    await this.#requireSameTables();
    const owners = new Map(rows.map(({ websiteId, organizationId }) => [websiteId, organizationId]));
    return websiteIds.map((websiteId) => ({ websiteId, organizationId: owners.get(websiteId) ?? null }));
  }

  async keys(
    kind: RowKind,
    scope: WalkedScope,
    after: string | null,
    limit: number,
  ): Promise<readonly string[]> {
    const values = new Values();
    const next = nextKeysIn({ scope, kind, after, limit }, await this.#shapes(kind), values);
    if (next === null) return [];
    const statement = limitedBySize(next, 'key', 'id');
    const { rows } = await runStatement<{ key: string }>(this.database, statement, values.list);
    return rows.map(({ key }) => key);
  }

  async existing(kind: RowKind, ids: readonly string[]): Promise<readonly string[]> {
    const { from, idType } = await this.#shapes(kind);
    const type = idType[SOURCE_OF[kind]];
    const { rows } = await runStatement<{ key: string }>(
      this.database,
      `select id::text as key from ${from[SOURCE_OF[kind]]} as present where id = any($1::${type}[])`,
      [writtenIn(type, ids)],
    );
    await this.#requireSameTables();
    return rows.map(({ key }) => key);
  }

  /** Reads sizes first and then rows, from one snapshot: otherwise a row that grows in between would be read whatever its size. */
  read<Kind extends RowKind>(kind: Kind, ids: readonly string[]): Promise<SourceReading<Kind>> {
    return this.#readBy((shapes) => sourceStatements(kind, shapes).rows, kind, ids);
  }

  readDigested(ids: readonly string[]): Promise<SourceReading<'blogs'>> {
    return this.#readBy(digestedBlogs, 'blogs', ids);
  }

  async #readBy<Kind extends RowKind>(
    statement: (shapes: MappedShapes) => StatementForIds,
    kind: Kind,
    ids: readonly string[],
  ): Promise<SourceReading<Kind>> {
    const readIn = async (snapshot: Snapshot) => {
      const shapes = await this.mapped.shapes(snapshot.database, kind);
      const some = snapshot.outlivesFailures ? amongBadOnes(ids) : ids;
      const reading = await read(snapshot, shapes, statement(shapes), kind, some).catch(throwTooSlow);
      await requireSameTables(snapshot.database, this.mapped.tables);
      return reading;
    };
    const { database } = this;
    return database.isTransaction
      ? readIn({ database, outlivesFailures: this.outlivesFailures })
      : inSnapshot(database, readIn);
  }

  #shapes(read: RowKind | 'websites'): Promise<MappedShapes> {
    return this.mapped.shapes(this.database, read);
  }

  /** Outside of a snapshot, a statement reads the rows of the same table that it has resolved. */
  async #requireSameTables(): Promise<void> {
    if (this.database.isTransaction) await requireSameTables(this.database, this.mapped.tables);
  }
}

function throwTooSlow(error: unknown): never {
  if (!isTimeOver(error)) throw error;
  throw new SourceTooSlow(error.message, { cause: error });
}

async function read<Kind extends RowKind>(
  snapshot: Snapshot,
  shapes: MappedShapes,
  statement: StatementForIds,
  kind: Kind,
  ids: readonly string[],
): Promise<SourceReading<Kind>> {
  const measured = await readableRows(snapshot, sourceStatements(kind, shapes).sizes, ids);
  const sizes = new Map(measured.rows.map(({ key, ...ofRow }) => [key as string, ofRow as RowSizes]));
  const twice = idsOfSeveral(measured.rows);
  for (const id of twice) sizes.delete(id);
  let fits = splitBySize(withStoredSpellings(ids, sizes), sizes);
  const terms =
    kind === 'blogs' && fits.fitting.length > 0 ? await BlogTerms.of(snapshot, shapes, fits.fitting) : null;
  if (terms !== null) {
    for (const id of fits.fitting) Object.assign(sizes.get(id) ?? {}, terms.sizesOf(id));
    fits = splitBySize(fits.checked, sizes);
  }
  const { checked, fitting, refused } = fits;
  refused.push(
    ...twice
      .filter((id) => checked.includes(id))
      .map((id) => ({ id, reason: 'several rows have this id, or the id of its website' })),
  );
  refused.push(...measured.refused.filter(({ id }) => checked.includes(id)));
  if (fitting.length === 0) return { ids: checked, rows: [], refused };
  const readable = await readableRows(snapshot, statement, fitting);
  const termsOf = await terms?.read(fitting);
  const rows: SourceTypes[Kind][] = [];
  for (const row of readable.rows) {
    const own = termsOf?.(row.id as string);
    const missing = missingValue(row);
    if (missing !== null) refused.push({ id: row.id as string, reason: `${missing} is null` });
    else if (own?.refused) refused.push(own.refused);
    // Assigned to the driver's own row, because a copy of each row would be garbage.
    else rows.push(TO_SOURCE[kind](own === undefined ? row : Object.assign(row, own.rows)));
  }
  return { ids: checked, rows, refused: [...refused, ...readable.refused] };
}

function idsOfSeveral(rows: readonly Stored[]): readonly string[] {
  const seen = new Set<string>();
  const several = new Set<string>();
  for (const { key } of rows) (seen.has(key as string) ? several : seen).add(key as string);
  return [...several];
}

/**
 * The driver reads times to the millisecond and cuts finer digits. `infinity` arrives as a number. Times after JavaScript's last date, in
 * the year 275760, count as never.
 */
function toMillis(time: unknown): number | null {
  if (time === null) return null;
  return Number.isNaN(Number(time)) ? Number.POSITIVE_INFINITY : Number(time);
}
