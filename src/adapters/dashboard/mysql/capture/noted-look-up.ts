import type { Knex } from 'knex';
import { LOOK_UP, type LookUps } from '../../source/look-ups.js';
import { literalInBody, quoted } from '../read/quoted.js';
import type { TableColumn } from './capture-facts.js';
import { columnsIn, overChangedRow } from './changed-row.js';
import { noting } from './note-function.js';

const NUMBER = /^(?:tinyint|smallint|mediumint|int|bigint|decimal|float|double|year)\b/;
const BYTES = /^(?:var)?binary\b|blob\b|^bit\b/;
const WRITTEN_NUMBER = /^n-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const WRITTEN_BYTES = /^([bt])((?:[\dA-F]{2})*)$/;

/** An expression that notes `["users", "blogs", {"id": "n7"}]` from the row of a trigger. */
export function notedLookup(
  kind: string,
  key: string,
  row: 'NEW' | 'OLD',
  columns: readonly TableColumn[],
): string {
  const types = new Map(columns.map(({ column, type }) => [column, type]));
  const values = columnsIn(key, [...types.keys()]).map(
    (column) => `${literalInBody(column)}, ${written(`${row}.${quoted(column)}`, types.get(column) ?? '')}`,
  );
  const table = literalInBody(columns[0]?.table ?? '');
  return noting(LOOK_UP, `json_array(${table}, '${kind}', json_object(${values.join(', ')}))`);
}

function written(value: string, type: string): string {
  if (NUMBER.test(type)) return `concat('n', ${value})`;
  if (BYTES.test(type)) return `concat('b', hex(${value}))`;
  return `concat('t', hex(convert(${value} using utf8mb4)))`;
}

/** A select of `row_key` and `at`. Each look-up is a select, because MariaDB has no `lateral`. */
export async function keysFound(_database: Knex, { select, noted }: LookUps): Promise<string> {
  return noted
    .map(({ key, changedAt }) => {
      const [, , row] = JSON.parse(key) as [string, string, Record<string, string | null>];
      const ofRow = overChangedRow(select, Object.keys(row), (column) => literalOf(row[column] ?? null));
      // The first part gives the column its name.
      return `select row_key, '${changedAt}' as at from (select null as row_key from dual where false union ${ofRow}) as found`;
    })
    .join(' union all ');
}

function literalOf(value: string | null): string {
  if (value === null) return 'null';
  if (WRITTEN_NUMBER.test(value)) return value.slice(1);
  const [, form, bytes] = WRITTEN_BYTES.exec(value) ?? [];
  if (form === undefined) throw new Error('A noted look-up was not written by a trigger of this service');
  return `${form === 't' ? '_utf8mb4 ' : ''}x'${bytes}'`;
}
