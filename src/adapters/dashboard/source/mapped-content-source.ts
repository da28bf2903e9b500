import type { Knex } from 'knex';
import type { Scope } from '../../../domain/model/job.js';
import type { RowKind, WebsiteOwner } from '../../../domain/model/read-model.js';
import {
  type RefusedRow,
  SHOWN_STATUS,
  type SourceReading,
  type SourceTypes,
} from '../../../domain/model/source.js';
import { type RowSizes, refusalOfSizes } from '../../../domain/policies/row-refusal.js';
import type { ContentSource } from '../../../domain/ports/dashboard/content-source.js';
import { missingValue } from '../mapping/mapped-columns.js';
import { termsOfBlogs } from './blog-terms.js';
import { existingKeysIn, nextKeysIn } from './keys-in-scope.js';
import type { SourceReader } from './source-reader.js';
import { ownersStatement, rowsStatement, sizesStatement } from './source-statements.js';
import { SOURCE_OF, type Stored, TERM_KINDS } from './source-tables.js';

/** The rows of a dashboard's database, read through its mapping. */
export class MappedContentSource implements ContentSource {
  constructor(
    private readonly database: Knex,
    private readonly reader: SourceReader,
  ) {}

  async count(kind: RowKind): Promise<number> {
    const tables = await this.reader.tables(this.database, kind);
    const statement = `select count(*) as total from ${tables.table(SOURCE_OF[kind], 'mapped')}`;
    const [row] = await this.reader.query(this.database, statement);
    return Number(row?.total);
  }

  /** How many rows the API shows once all changes are applied, if all can be shown. */
  async countShownRows(): Promise<Readonly<Record<RowKind, number>>> {
    const tables = await this.reader.tables(this.database, 'all');
    const kinds = Object.keys(SOURCE_OF) as RowKind[];
    const counts = kinds.map((kind) => {
      const isShown = kind === 'blogs' ? `where mapped.status = '${SHOWN_STATUS}'` : '';
      return `(select count(*) from ${tables.table(SOURCE_OF[kind], 'mapped')} ${isShown}) as "${kind}"`;
    });
    const [counted = {}] = await this.reader.query(this.database, `select ${counts.join(', ')}`);
    return Object.fromEntries(kinds.map((kind) => [kind, Number(counted[kind])])) as Record<RowKind, number>;
  }

  async owners(websiteIds: readonly string[]): Promise<readonly WebsiteOwner[]> {
    const { database, reader } = this;
    const tables = await reader.tables(database, 'websites');
    const rows = await reader.rows(database, tables, ownersStatement(tables), websiteIds);
    if (database.isTransaction) await reader.requireSameTables(database);
    const owners = new Map(rows.map(({ id, owner }) => [id, owner as string]));
    return websiteIds.map((websiteId) => ({ websiteId, organizationId: owners.get(websiteId) ?? null }));
  }

  async keys(kind: RowKind, scope: Scope, after: string | null, limit: number): Promise<readonly string[]> {
    const next = nextKeysIn(await this.reader.tables(this.database, kind), kind, scope, after, limit);
    const rows = next === null ? [] : await this.reader.refusing(this.reader.query(this.database, next));
    if (rows.some(({ follows }) => Number(follows) === 0))
      throw new Error(
        `Ids of ${kind} are compared in one order and sorted in another: do collations differ?`,
      );
    return rows.map(({ key }) => key as string);
  }

  async existing(kind: RowKind, scope: Scope, ids: readonly string[]): Promise<readonly string[]> {
    const { database, reader } = this;
    const tables = await reader.tables(database, kind);
    const existing = ids.length === 0 ? null : existingKeysIn(tables, kind, scope, ids);
    const rows = existing === null ? [] : await reader.refusing(reader.query(database, existing));
    if (database.isTransaction) await reader.requireSameTables(database);
    const requested = new Set(ids);
    // The dashboard's collation may take another id for a requested one.
    return rows.map(({ key }) => key as string).filter((id) => requested.has(id));
  }

  /** Sizes first, from one snapshot: otherwise a row could grow in between. */
  async read<Kind extends RowKind>(kind: Kind, ids: readonly string[]): Promise<SourceReading<Kind>> {
    const { database, reader } = this;
    const readIn = async (snapshot: Knex) => {
      const reading = await reader.inTime(snapshot, kind, () => this.#readRows(snapshot, kind, ids));
      await reader.requireSameTables(snapshot);
      return reading;
    };
    return database.isTransaction ? readIn(database) : reader.inSnapshot(database, readIn);
  }

  async #readRows<Kind extends RowKind>(
    snapshot: Knex,
    kind: Kind,
    ids: readonly string[],
  ): Promise<SourceReading<Kind>> {
    const { reader } = this;
    const tables = await reader.tables(snapshot, kind);
    const measured = await reader.rows(snapshot, tables, sizesStatement(tables, kind), ids);
    const { sizes, several } = sizesIn(measured);
    const terms: Awaited<ReturnType<typeof termsOfBlogs>>[] = [];
    for (const termKind of kind === 'blogs' ? TERM_KINDS : []) {
      const ofBlogs = await termsOfBlogs(snapshot, reader, termKind, [...sizes.keys()]);
      for (const [id, ofRow] of sizes) ofRow[termKind] = ofBlogs.bytesOf(id);
      terms.push(ofBlogs);
    }
    const requested = new Set(ids);
    const otherSpellings = [...sizes.keys()].filter((id) => !requested.has(id));
    const { checked, fitting, refused } = splitBySize(
      [...otherSpellings, ...ids],
      sizes,
      ids.length === 1 ? Number.POSITIVE_INFINITY : READING_BYTES,
    );
    // It is unknown which of the ids the collation takes for which other spelling.
    if (checked.length <= otherSpellings.length && ids.length > 1)
      return this.#readRows(snapshot, kind, ids.slice(0, ids.length >> 1));
    refused.push(...[...several].filter(({ id }) => checked.includes(id)));
    if (fitting.length === 0) return { ids: checked, rows: [], refused };
    const stored = await reader.rows(snapshot, tables, rowsStatement(tables, kind), fitting);
    const reasons = new Map<unknown, string>();
    for (const { addTo } of terms) for (const [id, reason] of await addTo(stored)) reasons.set(id, reason);
    const rows: SourceTypes[Kind][] = [];
    for (const row of stored) {
      const id = row.id as string;
      // The dashboard's collation may take "Published" for the same.
      if (kind === 'blogs' && row.status !== SHOWN_STATUS) continue;
      const missing = missingValue(row);
      const reason = missing === null ? (reasons.get(id) ?? tables.convert(kind, row)) : `${missing} is null`;
      if (reason !== null) refused.push({ id, reason });
      // The driver's own row, because a copy of each row would be garbage.
      else rows.push(row as unknown as SourceTypes[Kind]);
    }
    return { ids: checked, rows, refused };
  }
}

/** The sizes of rows by id, and refusals of the ids that several rows have. */
function sizesIn(rows: readonly Stored[]) {
  const sizes = new Map<string, Record<string, number | null>>();
  const several = new Map<string, RefusedRow>();
  for (const { key, ...ofRow } of rows) {
    const id = key as string;
    for (const field in ofRow) ofRow[field] = ofRow[field] === null ? null : Number(ofRow[field]);
    if (sizes.has(id)) several.set(id, { id, reason: 'several rows have this id, or the id of its website' });
    sizes.set(id, ofRow as Record<string, number | null>);
  }
  for (const id of several.keys()) sizes.delete(id);
  return { sizes, several: several.values() };
}

/** Data that is read at once is held in memory several times. */
const READING_BYTES = 8 * 1024 * 1024;

/** `checked`: the first keys, up to the limit; `fitting`: those of them whose rows are read. */
function splitBySize(ids: readonly string[], sizes: ReadonlyMap<string, RowSizes>, maxBytes: number) {
  const fitting: string[] = [];
  const refused: RefusedRow[] = [];
  let [bytes, checked] = [0, 0];
  for (; checked < ids.length && bytes < maxBytes; checked++) {
    const id = ids[checked] as string;
    const ofRow = sizes.get(id);
    // The row is gone, or a draft.
    if (ofRow === undefined) continue;
    const reason = refusalOfSizes(ofRow);
    if (reason !== null) {
      refused.push({ id, reason });
      continue;
    }
    fitting.push(id);
    for (const field in ofRow) bytes += ofRow[field] ?? 0;
  }
  return { checked: ids.slice(0, checked), fitting, refused };
}
