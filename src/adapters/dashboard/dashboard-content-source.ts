import type { Knex } from 'knex';
import type { RowKind, WebsiteOwner } from '../../domain/model/read-model.js';
import type { RefusedRow } from '../../domain/model/refused-row.js';
import type { SourceReading, SourceTypes } from '../../domain/model/source.js';
import type { WalkedScope } from '../../domain/model/sync-work.js';
import { type RowSizes, refusalOfSizes } from '../../domain/policies/row-limits.js';
import type { ContentSource } from '../../domain/ports/content-source.js';
import { BlogTerms } from './blog-terms.js';
import { inSnapshot, requireSameTables } from './dashboard-snapshot.js';
import { firstThatFit, READING_BYTES } from './first-that-fit.js';
import { nextKeysIn, tableOf } from './keys-in-scope.js';
import { readableRows } from './readable-rows.js';
import { SOURCE_STATEMENTS } from './source-statements.js';

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
  blogs: (row) => ({ ...row, publishedAt: toMillis(row.publishedAt) }) as SourceTypes['blogs'],
};

export class DashboardContentSource implements ContentSource {
  constructor(private readonly database: Knex) {}

  async count(kind: RowKind): Promise<number> {
    const [row] = await this.database.from(tableOf(kind)).count({ total: '*' });
    return Number(row?.total);
  }

  async owners(websiteIds: readonly string[]): Promise<readonly WebsiteOwner[]> {
    const { rows }: { rows: WebsiteOwner[] } = await this.database.raw(
      `select asked.id as "websiteId", website.organization_id as "organizationId"
       from unnest(:websiteIds::text[]) as asked (id) left join public.websites as website on website.id = asked.id`,
      { websiteIds },
    );
    await this.#requireSameTables();
    return rows;
  }

  async keys(
    kind: RowKind,
    scope: WalkedScope,
    after: string | null,
    limit: number,
  ): Promise<readonly string[]> {
    const next = nextKeysIn(scope, kind, after === null);
    const { rows }: { rows: { id: string }[] } = await this.database.raw(firstThatFit(next, 'id', 'id'), {
      keys: 'keys' in scope ? scope.keys : [],
      after,
      limit,
    });
    return rows.map(({ id }) => id);
  }

  async existing(kind: RowKind, ids: readonly string[]): Promise<readonly string[]> {
    const existing = await this.database.from(tableOf(kind)).whereIn('id', ids).pluck('id');
    await this.#requireSameTables();
    return existing;
  }

  /** Sizes first, then the rows, of one snapshot: a row that grows between the two would be read whatever it has become. */
  async read<Kind extends RowKind>(kind: Kind, ids: readonly string[]): Promise<SourceReading<Kind>> {
    const readIn = async (snapshot: Knex) => {
      const reading = await read(snapshot, kind, ids);
      await requireSameTables(snapshot);
      return reading;
    };
    return this.database.isTransaction ? readIn(this.database) : inSnapshot(this.database, readIn);
  }

  /** A statement by itself sees the rows of the very table that it found. */
  async #requireSameTables(): Promise<void> {
    if (this.database.isTransaction) await requireSameTables(this.database);
  }
}

async function read<Kind extends RowKind>(
  snapshot: Knex,
  kind: Kind,
  ids: readonly string[],
): Promise<SourceReading<Kind>> {
  const statements = SOURCE_STATEMENTS[kind];
  const measured = await readableRows(snapshot, statements.sizes, ids);
  const sizes = new Map(measured.rows.map(({ key, ...ofRow }) => [key as string, ofRow as RowSizes]));
  let fits = whatFits(ids, sizes);
  const terms =
    kind === 'blogs' && fits.fitting.length > 0 ? await BlogTerms.of(snapshot, fits.fitting) : null;
  if (terms !== null) {
    for (const id of fits.fitting) sizes.set(id, { ...sizes.get(id), ...terms.sizesOf(id) });
    fits = whatFits(fits.asked, sizes);
  }
  const { asked, fitting, refused } = fits;
  refused.push(...measured.refused.filter(({ id }) => asked.includes(id)));
  if (fitting.length === 0) return { ids: asked, rows: [], refused };
  const readable = await readableRows(snapshot, statements.rows, fitting);
  const termsOf = await terms?.read(fitting);
  const rows: SourceTypes[Kind][] = [];
  for (const row of readable.rows) {
    const own = termsOf?.(row.id as string);
    if (own?.refused) refused.push(own.refused);
    else rows.push(TO_SOURCE[kind]({ ...row, ...own?.rows }));
  }
  return { ids: asked, rows, refused: [...refused, ...readable.refused] };
}

interface WhatFits {
  /** The first keys, until what is read of them is too much for one reading. */
  readonly asked: readonly string[];
  /** Those of them that are read. */
  readonly fitting: readonly string[];
  readonly refused: RefusedRow[];
}

function whatFits(ids: readonly string[], sizes: ReadonlyMap<string, RowSizes>): WhatFits {
  const fitting: string[] = [];
  const refused: RefusedRow[] = [];
  let [bytes, asked] = [0, 0];
  for (; asked < ids.length && bytes < READING_BYTES; asked++) {
    const id = ids[asked] as string;
    const ofRow = sizes.get(id);
    // Gone, or a draft.
    if (ofRow === undefined) continue;
    const reason = refusalOfSizes(ofRow);
    if (reason !== null) {
      refused.push({ id, reason });
      continue;
    }
    fitting.push(id);
    for (const size of Object.values(ofRow)) bytes += size ?? 0;
  }
  return { asked: ids.slice(0, asked), fitting, refused };
}

/**
 * The driver reads times to the millisecond, finer digits cut; `infinity` comes as a number. PostgreSQL's calendar goes on where
 * JavaScript's ends, in the year 275760: as good as never.
 */
function toMillis(time: unknown): number | null {
  if (time === null) return null;
  return Number.isNaN(Number(time)) ? Number.POSITIVE_INFINITY : Number(time);
}
