import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { RowRefused } from '../../../domain/errors.js';
import type { AnySlice, BlogRow, ReadModelSlice, RowKind } from '../../../domain/model/read-model.js';
import {
  LIST_ENTRIES,
  listEntriesOf,
  READ_TABLES,
  type ReadTable,
  TITLES,
  toRecords,
} from '../read/read-table.js';
import type { ChangedRow } from './moved-rows.js';
import { addToTotals, REPLACE_LIST_ENTRIES } from './replace-list-entries.js';
import { QUARANTINE_ROWS, replaceRows } from './replace-rows.js';

const SPECIAL = /[\\\n\r\t]/g;
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Size in characters. The next chunk is made while the server reads the current one. */
const CHUNK = 128 * 1024;

/** Data that PostgreSQL cannot store: invalid values, constraints, rows too large for an index. */
const REFUSED = /^(22|23|54)/;

/** For fewer rows, the additional query costs more than it saves. */
const MIN_COPIED_ROWS = 50;

/** Tables with rows of a kind, by the ids of the source. */
export const TABLES_OF: Readonly<Record<RowKind, readonly string[]>> = {
  apiKeys: ['api_keys'],
  categories: ['categories'],
  tags: ['tags'],
  blogs: ['blogs', 'titles', 'list_entries'],
};

/** Returns the rows that were written or deleted. */
export async function replaceSlice(
  transaction: Knex.Transaction,
  slice: ReadModelSlice | AnySlice,
): Promise<readonly ChangedRow[]> {
  const { kind, ids, rows, refused } = slice as AnySlice;
  try {
    const quarantine = { ids, kind, refused: JSON.stringify(refused) };
    await transaction.raw(QUARANTINE_ROWS, quarantine).options({ name: 'content_read_quarantine' });
    if (rows.length >= MIN_COPIED_ROWS && !(await anyExist(transaction, kind, ids))) {
      return await addSlice(transaction, slice as AnySlice);
    }
    const table = READ_TABLES[kind] as ReadTable<(typeof rows)[number]>;
    const replaced: (readonly Omit<ChangedRow, 'kind'>[])[] = [
      await changedBy(transaction, replaceRows(table), { ids, records: toRecords(table, rows) }, table.name),
    ];
    if (kind === 'blogs') {
      const titles = toRecords(TITLES, rows as readonly BlogRow[]);
      replaced.push(await changedBy(transaction, replaceRows(TITLES), { ids, records: titles }, 'titles'));
      replaced.push(await changedBy(transaction, REPLACE_LIST_ENTRIES, { ids, titles }, 'list_entries'));
    }
    return replaced.flat().map((row) => ({ ...row, kind }));
  } catch (error) {
    if (error instanceof Error && 'code' in error && REFUSED.test(String(error.code))) {
      throw new RowRefused(error.message.split(' - ').at(-1));
    }
    throw error;
  }
}

/** Only rows of which no table has anything. */
async function addSlice(
  transaction: Knex.Transaction,
  { kind, rows }: AnySlice,
): Promise<readonly ChangedRow[]> {
  await copyRows(transaction, READ_TABLES[kind] as ReadTable<(typeof rows)[number]>, rows);
  if (kind === 'blogs') {
    await copyRows(transaction, TITLES, rows);
    const entries = rows.flatMap(listEntriesOf);
    await copyRows(transaction, LIST_ENTRIES, entries);
    await addToTotals(transaction, entries);
  }
  return rows.map((row) => ({
    kind,
    organizationId: row.organizationId,
    id: row.id,
    websiteId: 'websiteId' in row ? row.websiteId : null,
  }));
}

/** Sent for each edit, so it is prepared: its plan would take longer than the write itself. */
async function changedBy(
  transaction: Knex.Transaction,
  sql: string,
  bindings: Readonly<Record<string, unknown>>,
  table: string,
): Promise<readonly Omit<ChangedRow, 'kind'>[]> {
  const { rows }: { rows: Omit<ChangedRow, 'kind'>[] } = await transaction
    .raw(sql, bindings)
    .options({ name: `content_read_replace_${table}` });
  return rows;
}

/** With one look-up each, whatever the statistics say. */
async function anyExist(
  transaction: Knex.Transaction,
  kind: RowKind,
  ids: readonly string[],
): Promise<boolean> {
  const held = TABLES_OF[kind].map(
    (table) => `exists (select from unnest(:ids::text[]) as given (id) cross join lateral (
      select from content_read.${table} as stored where stored.id = given.id limit 1) as held)`,
  );
  const { rows }: { rows: [{ any_exist: boolean }] } = await transaction.raw(
    `select ${held.join(' or ')} as any_exist`,
    { ids },
  );
  return rows[0].any_exist;
}

/** For rows that do not exist yet: half the time of an `insert`, which sends JSON. */
async function copyRows<Row>(
  transaction: Knex.Transaction,
  { name, columns }: ReadTable<Row>,
  rows: readonly Row[],
): Promise<void> {
  const connection: pg.ClientBase = await transaction.client.acquireConnection();
  const list = Object.keys(columns).join(', ');
  const stream = connection.query(copyFrom(`copy content_read.${name} (${list}) from stdin`));
  await pipeline(chunksOf(Object.values(columns), rows), stream);
}

function* chunksOf<Row>(
  fields: readonly ReadTable<Row>['columns'][string][],
  rows: readonly Row[],
): Iterable<Buffer> {
  let chunk = '';
  for (const row of rows) {
    let separator = '';
    for (const [type, valueIn] of fields) {
      chunk += separator + toField(type, valueIn(row));
      separator = '\t';
    }
    chunk += '\n';
    if (chunk.length < CHUNK) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  yield Buffer.from(chunk);
}

function toField(type: string, value: unknown): string {
  if (value === null) return '\\N';
  if (type === 'jsonb') return escaped(JSON.stringify(value));
  if (type === 'text[]') return escaped(`{${(value as readonly string[]).map(toElement).join(',')}}`);
  return escaped(String(value));
}

function toElement(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function escaped(text: string): string {
  return text.replace(SPECIAL, (character) => ESCAPED[character] as string);
}
