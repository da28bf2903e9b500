import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { ReadTable } from '../read/read-table.js';

const SPECIAL = /[\\\n\r\t]/g;
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Size in characters. The next chunk is made while the server reads the current one. */
const CHUNK = 128 * 1024;

/** For rows that do not exist yet: half the time of an `insert`, which sends JSON. */
export async function copyRows<Row>(
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
