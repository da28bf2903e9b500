import { type AnySlice, type RowKind, RowRefused, type RowTypes } from 'blog-content-read-api/ports';
import { isDataError, type Session, type Value } from './database.js';
import { type DifferingRow, differingRows, withSha256 } from './differing-rows.js';
import { READ_TABLES, type ReadTable } from './read-tables.js';

/** A row that was written or deleted. */
export interface ReplacedRow extends DifferingRow {
  /** Null if it was deleted. */
  readonly row: RowTypes[RowKind] | null;
}

/** Every server accepts a statement of this size. */
const ACCEPTED_STATEMENT_BYTES = 1024 * 1024;
/** The maximum size of a statement without its values. */
const STATEMENT_BYTES = 10_000;

/** Replaces the rows with the ids of a slice by those of the slice. */
export async function replaceRows(session: Session, slice: AnySlice): Promise<readonly ReplacedRow[]> {
  const { kind, rows } = slice;
  const table = READ_TABLES[kind] as ReadTable<RowTypes[RowKind]>;
  const differing = await differingRows(session, { ...slice, rows: rows.map(withSha256) } as AnySlice);
  const incoming = new Map<string, RowTypes[RowKind]>(rows.map((row) => [row.id, row]));
  const replaced = differing.map(({ id, stored }) => ({ id, stored, row: incoming.get(id) ?? null }));
  try {
    const ids = replaced.map(({ id }) => id);
    if (ids.length > 0) await session.execute(`delete from ${table.name} where id in (:ids)`, { ids });
    for (const { row } of replaced) if (row !== null) await insert(session, table, row);
    if (kind === 'blogs' && ids.length > 0) await insertListEntries(session, ids);
  } catch (error) {
    if (isDataError(error)) throw new RowRefused(error.message);
    throw error;
  }
  return replaced;
}

async function insert<Row>(session: Session, { name, columns }: ReadTable<Row>, row: Row): Promise<void> {
  const values = Object.values(columns).map((valueIn) => valueIn(row));
  await requireStorable(session, values);
  const names = Object.keys(columns);
  await session.executePrepared(
    `insert into ${name} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
    values,
  );
}

async function requireStorable(session: Session, values: readonly Value[]): Promise<void> {
  const texts = values.filter((value) => typeof value === 'string');
  if (!texts.every((text) => text.isWellFormed()))
    throw new RowRefused('a text ends in the middle of a character');
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), STATEMENT_BYTES);
  if (bytes <= ACCEPTED_STATEMENT_BYTES) return;
  const [server] = await session.query<{ maxBytes: number }>('select @@max_allowed_packet as maxBytes');
  const maxBytes = Number(server?.maxBytes);
  if (bytes > maxBytes)
    throw new RowRefused(`it has ${bytes} bytes, and the server's max_allowed_packet is ${maxBytes}`);
}

/**
 * The entries of deleted rows were deleted with them. The columns of `json_table` are longer than those of the table: `json_table` truncates
 * long texts without an error, while an `insert` refuses them.
 */
async function insertListEntries(session: Session, ids: readonly string[]): Promise<void> {
  await session.execute(
    `insert into blog_entries (organization_id, published_at, id, website_id, folded_title)
     select organization_id, published_at, id, website_id, folded_title from blogs where id in (:ids)`,
    { ids },
  );
  for (const kind of ['categories', 'tags']) {
    await session.execute(
      `insert into blog_terms (blog_id, kind, place, organization_id, id, slug)
       select blogs.id, '${kind}', term.place, organization_id, term.id, term.slug
       from blogs, json_table(${kind}, '$[*]' columns (
         place for ordinality, id mediumtext character set utf8mb4 path '$.id', slug mediumtext character set utf8mb4 path '$.slug'
       )) as term
       where blogs.id in (:ids)`,
      { ids },
    );
  }
}

/** Notes which rows are not shown. Returns whether any of the others was noted before. */
export async function replaceUnshown(session: Session, { kind, ids, unshown }: AnySlice): Promise<boolean> {
  const replaced = [...ids, ...unshown.map(({ id }) => id)];
  if (replaced.length === 0) return false;
  const since = await session.query<{ id: string; since: string }>(
    'select id, since from unshown_rows where kind = :kind and id in (:replaced)',
    { kind, replaced },
  );
  const sinceOf = new Map(since.map((row) => [row.id, row.since]));
  if (since.length > 0)
    await session.execute('delete from unshown_rows where kind = :kind and id in (:replaced)', {
      kind,
      replaced,
    });
  for (const { id, reason, cause, attempts, retryAfterMs } of unshown) {
    await session.execute(
      `insert into unshown_rows (kind, id, reason, cause, since, attempts, retry_at) values
         (:kind, :id, :reason, :cause, coalesce(:since, utc_timestamp(6)), :attempts, utc_timestamp(6) + interval :retryAfterMicros microsecond)`,
      {
        kind,
        id,
        reason,
        cause,
        since: sinceOf.get(id) ?? null,
        attempts,
        retryAfterMicros: Math.round(retryAfterMs * 1000),
      },
    );
  }
  const noted = new Set(unshown.map(({ id }) => id));
  return since.some(({ id }) => !noted.has(id));
}
