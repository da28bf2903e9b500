import { createHash } from 'node:crypto';
import type { ReadModelSlice, RowKind, RowTypes } from 'blog-content-read-api/ports';
import type { Session, Value } from './database.js';
import { READ_TABLES, type ReadTable } from './read-tables.js';

/** The owner of a row. */
export interface Owned {
  readonly id: string;
  readonly organizationId: string;
  /** Null if the row has no website. */
  readonly websiteId: string | null;
}

export interface DifferingRow {
  readonly id: string;
  /** The owner of the stored row, or null if there is none. */
  readonly stored: Owned | null;
}

/** Contents are compared by digests, which the server computes, so that it sends no contents. */
const DIGESTED = 'sha2(content_html, 256) as content_html';

/** The ids of a slice whose stored rows differ from its rows. Blogs have the SHA-256 of their content in place of it. */
export async function differingRows<Kind extends RowKind>(
  session: Session,
  { kind, ids, rows }: ReadModelSlice<Kind>,
): Promise<readonly DifferingRow[]> {
  const table: ReadTable<RowTypes[Kind]> = READ_TABLES[kind];
  const owners = await ownersOf(session, table, ids);
  const stored = await storedRows(
    session,
    table,
    rows.map(({ id }) => id),
  );
  const incoming = new Map(rows.map((row) => [row.id, row]));
  const differs = (id: string): boolean => {
    const row = incoming.get(id);
    if (row === undefined) return owners.has(id);
    const columns = stored.get(id);
    return (
      columns === undefined || Object.entries(table.columns).some(([name, of]) => columns[name] !== of(row))
    );
  };
  return ids.filter(differs).map((id) => ({ id, stored: owners.get(id) ?? null }));
}

export function withSha256<Row extends object>(row: Row): Row {
  if (!('contentHtml' in row && typeof row.contentHtml === 'string')) return row;
  return { ...row, contentHtml: createHash('sha256').update(row.contentHtml).digest('hex') };
}

async function ownersOf<Row>(
  session: Session,
  { name, columns }: ReadTable<Row>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Owned>> {
  if (ids.length === 0) return new Map();
  const websiteId = 'website_id' in columns ? 'website_id' : 'null';
  const rows = await session.query<Owned>(
    `select id, organization_id as organizationId, ${websiteId} as websiteId from ${name} where id in (:ids)`,
    { ids },
  );
  return new Map(rows.map((row) => [row.id, row]));
}

async function storedRows<Row>(
  session: Session,
  { name, columns }: ReadTable<Row>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Readonly<Record<string, Value>>>> {
  if (ids.length === 0) return new Map();
  const selected = Object.keys(columns).map((column) => (column === 'content_html' ? DIGESTED : column));
  const rows = await session.query<{ id: string } & Record<string, Value>>(
    `select ${selected.join(', ')} from ${name} where id in (:ids)`,
    { ids },
  );
  return new Map(rows.map((row) => [row.id, row]));
}
