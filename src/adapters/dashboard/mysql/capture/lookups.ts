import type { Knex } from 'knex';
import { SourceTooSlow } from '../../../../domain/errors.js';
import { isSelect } from '../../mapping/dashboard-mapping.js';
import { LOOKUP } from '../../source/stored-queue.js';
import { queryRows, run } from '../read/query-rows.js';
import { name, textInBody } from '../read/quoted.js';
import { type CapturedTables, type Captures, noting, PREFIX } from './captured-tables.js';
import { columnsIn, overChangedRow } from './changed-row.js';

/**
 * The worker evaluates a key that is a select: a trigger would lock what it finds, or miss what
 * others add. It notes the values that the select names: `["users", "blogs", {"id": "n7"}]`.
 */
export const IS_LOOKUP = `kind = '${LOOKUP}'`;

/** A revocation may have to wait for one batch. */
const MAX_LOOKUPS = 1_000;
const BATCH_MS = 500;
/** For one look-up; MySQL has no such limit for a statement that writes. */
const LIMITED = '/*M! set statement max_statement_time = 1 for */';
const NUMBER = /^(?:tinyint|smallint|mediumint|int|bigint|decimal|float|double|year)\b/;
const BYTES = /^(?:var)?binary\b|blob\b|^bit\b/;
const WRITTEN_NUMBER = /^n-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const WRITTEN_BYTES = /^([bt])((?:[\dA-F]{2})*)$/;
/** A missing table or column: the capture watch reports it. */
const MISSING_OBJECT_ERRORS = ['ER_BAD_FIELD_ERROR', 'ER_NO_SUCH_TABLE'];

/** An expression that notes what a key of a table looks up, from the row of a trigger. */
export function notingLookup(
  [kind, key]: readonly [string, string],
  table: string,
  row: 'NEW' | 'OLD',
  { columns }: CapturedTables,
): string {
  const types = new Map(columns[table]?.map(({ column, type }) => [column, type]));
  const values = columnsIn(key, [...types.keys()]).map(
    (column) => `${textInBody(column)}, ${written(`${row}.${name(column)}`, types.get(column) ?? '')}`,
  );
  return noting(LOOKUP, `json_array(${textInBody(table)}, '${kind}', json_object(${values.join(', ')}))`);
}

function written(value: string, type: string): string {
  if (NUMBER.test(type)) return `concat('n', ${value})`;
  if (BYTES.test(type)) return `concat('b', hex(${value}))`;
  return `concat('t', hex(convert(${value} using utf8mb4)))`;
}

/** Replaces noted look-ups by the keys that they find. False: none was waiting. */
export async function lookUp(database: Knex, captures: Captures): Promise<boolean> {
  const until = performance.now() + BATCH_MS;
  const waiting = await queryRows<{ id: string; key: string; changedAt: string }>(
    database,
    `select id, entity_key as 'key', at as changedAt from ${PREFIX}changes where ${IS_LOOKUP} order by id limit ${MAX_LOOKUPS}`,
  );
  if (waiting.length === 0) return false;
  const oldest = new Map(waiting.toReversed().map(({ key, changedAt }) => [key, changedAt]));
  const lookedUp = new Set<string>();
  await database.transaction(
    async (transaction) => {
      for (const { key } of waiting) {
        if (lookedUp.has(key)) continue;
        if (lookedUp.size > 0 && performance.now() > until) break;
        await noteFound(transaction, selectOf(key, captures), oldest.get(key) as string);
        lookedUp.add(key);
      }
      const ids = waiting.flatMap(({ id, key }) => (lookedUp.has(key) ? [id] : []));
      await transaction.raw(`delete from ${PREFIX}changes where id in (${ids.join(', ')})`);
    },
    // Rows that are read are not locked.
    { isolationLevel: 'read committed' },
  );
  return true;
}

type Found = Readonly<Record<'kind' | 'select', string>>;

async function noteFound(
  transaction: Knex.Transaction,
  lookup: Found | null,
  changedAt: string,
): Promise<void> {
  const note = (kind: string, keys: string) =>
    run(
      transaction,
      `${LIMITED} insert into ${PREFIX}changes (id, kind, entity_key, at)
      select uuid_short(), '${kind}', found, '${changedAt}' from (${keys}) as touched`,
    );
  const noteEverything = () => note('everything', 'select null as found');
  if (lookup === null) return void (await noteEverything());
  const rowsByName = `select null as found from dual where false union ${lookup.select}`;
  await note(lookup.kind, `select found from (${rowsByName}) as named where found is not null`).catch(
    (error: unknown) => {
      const isRefused = MISSING_OBJECT_ERRORS.includes((error as { code?: string }).code ?? '');
      if (!(isRefused || error instanceof SourceTooSlow)) throw error;
      return noteEverything();
    },
  );
}

/** Null: the current mapping has no such look-up. */
function selectOf(noted: string, captures: Captures): Found | null {
  const [table, kind, row] = JSON.parse(noted) as [string, string, Record<string, string | null>];
  const touches = captures[table] ?? {};
  if (touches === 'everything') return null;
  const key = Object.entries(touches).find(([name]) => name === kind)?.[1];
  if (key === undefined || !isSelect(key)) return null;
  const literals = new Map(Object.entries(row).map(([column, value]) => [column, literalOf(value)]));
  if (columnsIn(key, Object.keys(row)).some((column) => literals.get(column) === undefined)) return null;
  const select = overChangedRow(key, Object.keys(row), (column) => literals.get(column) ?? 'null');
  return { kind, select };
}

/** The value as a literal; undefined: none of our triggers wrote it. */
function literalOf(value: string | null): string | undefined {
  if (value === null) return 'null';
  if (WRITTEN_NUMBER.test(value)) return value.slice(1);
  const [, form, bytes] = WRITTEN_BYTES.exec(value) ?? [];
  if (form === undefined) return undefined;
  return `${form === 't' ? '_utf8mb4 ' : ''}x'${bytes}'`;
}
