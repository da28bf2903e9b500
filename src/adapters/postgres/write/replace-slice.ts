import { hash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { RowRefused } from '../../../domain/errors.js';
import type { BlogRow, ReadModelSlice, RowKind } from '../../../domain/model/read-model.js';
import { means } from '../../sql/postgres/fault-of.js';
import { websiteOfList } from '../read-tables.js';
import { TITLES, toRecords, WRITTEN_TABLES, type WrittenTable } from './written-tables.js';

const SPECIAL = /[\\\n\r\t]/g;
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Size in characters. The next chunk is made while the server reads the current one. */
const CHUNK = 128 * 1024;

/** For fewer rows, the additional query costs more than it saves. */
const MIN_ROWS_LOOKED_UP = 50;

/** The long column of a blog. It is sent as null if the same value is stored already. */
const LONG = 'content_html';
const SENT_OR_STORED = `coalesce(incoming.${LONG}, (select ${LONG} from content_read.blogs as stored where stored.id = incoming.id))`;
/** The value is stored outside its row: written again unless the stored one itself is assigned. */
const KEPT_IF_SAME = `case when present.${LONG} = excluded.${LONG} then present.${LONG} else excluded.${LONG} end`;

const TITLE_COLUMNS = Object.entries(TITLES.columns).map(([column, [type]]) => `${column} ${type}`);
const ENTRY = 'organization_id, term, website_id, published_at, id';

/**
 * The list entries that these blogs must have, and those that exist. Each id is looked up: without
 * statistics, PostgreSQL would read the whole table.
 */
const DUE_AND_HELD_ENTRIES = `
  due as (
    select organization_id, term, website_id, published_at, id
    from json_to_recordset(:titles::json) as title (${TITLE_COLUMNS.join(', ')}) cross join lateral unnest(terms || ''::text) as term
  ), held as materialized (
    select entry.* from unnest(:ids::text[]) as given (id) cross join lateral (
      select ctid as place, ${ENTRY} from content_read.list_entries where id = given.id offset 0) as entry
  )`;

/** Adds up the rows of `changed`, sorted as each writer of many rows does: so none deadlock. */
const CHANGE_TOTALS = `
  insert into content_read.list_totals as present (organization_id, term, website, blogs)
  select organization_id, term, website, sum(change)
  from changed cross join lateral (values (''), (${websiteOfList('website_id')})) as list (website)
  group by 1, 2, 3 having sum(change) <> 0 order by 1, 2, 3
  on conflict (organization_id, term, website) do update set blogs = present.blogs + excluded.blogs`;

/** Makes the lists contain exactly these blogs, and returns those whose entries changed. */
const REPLACE_LIST_ENTRIES = `
  with ${DUE_AND_HELD_ENTRIES}, deleted as (
    delete from content_read.list_entries where ctid = any(array(
      select place from held where (${ENTRY}) not in (select * from due)))
    returning ${ENTRY}
  ), added as (
    insert into content_read.list_entries (${ENTRY})
    select ${ENTRY} from due except select ${ENTRY} from held
    returning ${ENTRY}
  ), changed as (
    select *, 1 as change from added union all select *, -1 from deleted
  ), totals as (${CHANGE_TOTALS})
  select distinct organization_id as "organizationId", id, null as "websiteId", null as slug from changed`;

/** Tables with rows of a kind, by the ids of the source. */
export const TABLES_OF: Readonly<Record<RowKind, readonly string[]>> = {
  apiKeys: ['api_keys'],
  categories: ['categories'],
  tags: ['tags'],
  blogs: ['blogs', 'titles', 'list_entries'],
};

/** A row that was written or deleted. */
export interface ChangedRow {
  readonly kind: RowKind;
  readonly organizationId: string;
  readonly id: string;
  /** Null: it belongs to no website. */
  readonly websiteId: string | null;
  /** Null: the row of another table shows it. */
  readonly slug: string | null;
}

type Change = Omit<ChangedRow, 'kind'>;

/** Returns the rows that were written or deleted. */
export async function replaceSlice(
  transaction: Knex.Transaction,
  slice: ReadModelSlice,
): Promise<readonly ChangedRow[]> {
  try {
    const changes =
      slice.kind === 'blogs' ? await replaceBlogs(transaction, slice) : await replaceIn(transaction, slice);
    return changes.map(({ organizationId, id, websiteId, slug }) => {
      return { kind: slice.kind, organizationId, id, websiteId, slug };
    });
  } catch (error) {
    throw means(error, 'unstorable') ? new RowRefused((error as Error).message) : error;
  }
}

async function replaceIn<Kind extends RowKind>(
  transaction: Knex.Transaction,
  { kind, ids, rows }: ReadModelSlice<Kind>,
): Promise<readonly Change[]> {
  const table = WRITTEN_TABLES[kind];
  return changedBy(transaction, replaceRows(table), { ids, records: toRecords(table, rows) }, table.name);
}

async function replaceBlogs(transaction: Knex.Transaction, { ids, rows }: ReadModelSlice<'blogs'>) {
  const { blogs } = WRITTEN_TABLES;
  const stored = rows.length < MIN_ROWS_LOOKED_UP ? null : await storedContents(transaction, ids);
  const records = () => toRecords(stored === null ? blogs : withoutStored(blogs, stored), rows);
  const titles = toRecords(TITLES, rows);
  return [
    ...(stored?.size === 0
      ? await copyBlogs(transaction, rows)
      : await changedBy(transaction, replaceRows(blogs), { ids, records: records() }, 'blogs')),
    ...(await changedBy(transaction, replaceRows(TITLES), { ids, records: titles }, 'titles')),
    ...(await changedBy(transaction, REPLACE_LIST_ENTRIES, { ids, titles }, 'list_entries')),
  ];
}

/** Returns what changed: of a row with another owner, website or slug, the former one as well. */
export function replaceRows<Row>({ name, columns }: WrittenTable<Row>): string {
  const names = Object.keys(columns);
  const listOf = (write: (column: string) => string, of = names) => of.map(write).join(', ');
  const short = names.filter((column) => column !== LONG);
  const table = `content_read.${name}`;
  const list = listOf((column) => column);
  const types = listOf((column) => `${column} ${columns[column]?.[0]}`);
  const sent = listOf((column) => (column === LONG ? SENT_OR_STORED : column));
  const updates = listOf((column) => `${column} = ${column === LONG ? KEPT_IF_SAME : `excluded.${column}`}`);
  const storedValues = listOf((column) => `stored.${column}`, short);
  const incomingValues = listOf((column) => `incoming.${column}`, short);
  const isSameText =
    short.length === names.length ? '' : `and coalesce(stored.${LONG} = incoming.${LONG}, true)`;
  const change = `organization_id, id, ${listOf((column) => (names.includes(column) ? column : `null::text as ${column}`), ['website_id', 'slug'])}`;
  return `
    with incoming as (
      select * from json_to_recordset(:records::json) as incoming (${types})
    ), held as materialized (
      -- One look-up for each id, whatever the statistics say.
      select stored.* from unnest(:ids::text[]) as given (key) cross join lateral (
        select ${change} from ${table} where id = given.key offset 0) as stored
    ), written as (
      insert into ${table} as present (${list}) select ${sent} from incoming
      -- A condition after the conflict would lock, and so rewrite, the unchanged row.
      where not exists (select from ${table} as stored where stored.id = incoming.id
        and (${storedValues}) is not distinct from (${incomingValues}) ${isSameText} offset 0)
      on conflict (id) do update set ${updates}
      returning ${change}
    ), deleted as (
      delete from ${table} where id = any(array(select id from held where id not in (select id from incoming)))
      returning ${change}
    )
    select organization_id as "organizationId", id, website_id as "websiteId", slug from written
    union all select * from deleted
    union all select held.* from held join written using (id) where held is distinct from written`;
}

/** Sent for each edit, so it is prepared: its plan would take longer than the write itself. */
async function changedBy(
  transaction: Knex.Transaction,
  sql: string,
  bindings: Readonly<Record<string, unknown>>,
  table: string,
): Promise<readonly Change[]> {
  const { rows }: { rows: Change[] } = await transaction
    .raw(sql, bindings)
    .options({ name: `content_read_replace_${table}` });
  return rows;
}

/** The digests of contents, with one look-up each, whatever the statistics say. */
async function storedContents(
  transaction: Knex.Transaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows }: { rows: { id: string; digest: string }[] } = await transaction.raw(
    `select stored.* from unnest(:ids::text[]) as given (key) cross join lateral (
      select id, encode(sha256(convert_to(${LONG}, 'UTF8')), 'hex') as digest
      from content_read.blogs where id = given.key offset 0) as stored`,
    { ids },
  );
  return new Map(rows.map(({ id, digest }) => [id, digest]));
}

/** Contents are most of a row, and most are stored already: in a rebuild, or under a new name. */
function withoutStored<Row extends { readonly id: string }>(
  { name, columns }: WrittenTable<Row>,
  stored: ReadonlyMap<string, string>,
): WrittenTable<Row> {
  const valueIn = (row: Row) => {
    const content = columns[LONG]?.[1](row) as string;
    return stored.get(row.id) === hash('sha256', content) ? null : content;
  };
  return { name, columns: { ...columns, [LONG]: ['text', valueIn] } };
}

/** For rows that do not exist yet: faster than an `insert`, which sends contents as JSON. */
async function copyBlogs(
  transaction: Knex.Transaction,
  rows: readonly BlogRow[],
): Promise<readonly BlogRow[]> {
  const { name, columns } = WRITTEN_TABLES.blogs;
  const connection: pg.ClientBase = await transaction.client.acquireConnection();
  const list = Object.keys(columns).join(', ');
  const stream = connection.query(copyFrom(`copy content_read.${name} (${list}) from stdin`));
  await pipeline(chunksOf(Object.values(columns), rows), stream);
  return rows;
}

function* chunksOf(
  fields: readonly WrittenTable<BlogRow>['columns'][string][],
  rows: readonly BlogRow[],
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
  const text = type === 'jsonb' ? JSON.stringify(value) : String(value);
  return text.replace(SPECIAL, (character) => ESCAPED[character] as string);
}
