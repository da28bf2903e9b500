import { readFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import { type Migrations, sqlFilesIn } from './migrate-database.js';

const QUERY_TIMEOUT_MS = 1_000;

/** Newer migrations, unknown to this version, do no harm. */
export async function pendingMigrations(
  database: Knex,
  { directory, schema, table }: Migrations,
): Promise<readonly string[]> {
  const files = await sqlFilesIn(directory);
  const taken: readonly string[] = await database
    .withSchema(schema)
    .from(table)
    .pluck('name')
    .timeout(QUERY_TIMEOUT_MS);
  return files.filter((file) => !taken.includes(file));
}

const CREATED_INDEX = /^create (?:unique )?index (\w+)/gm;

export interface UnusableIndexes {
  /** Created by the migrations, but gone. */
  readonly missing: readonly string[];
  /** Left by an interrupted `reindex concurrently`. */
  readonly invalid: readonly string[];
}

export async function unusableIndexes(database: Knex, { directory }: Migrations): Promise<UnusableIndexes> {
  const { rows }: { rows: { name: string; isValid: boolean }[] } = await database.raw(`
    select relname as name, indisvalid and indisready as "isValid"
    from pg_index join pg_class on pg_class.oid = indexrelid
    where relnamespace = to_regnamespace('content_read') order by relname`);
  const names = rows.map(({ name }) => name);
  const created = await createdIndexes(directory);
  return {
    missing: created.filter((name) => !names.includes(name)),
    invalid: rows.filter(({ isValid }) => !isValid).map(({ name }) => name),
  };
}

async function createdIndexes(directory: URL): Promise<readonly string[]> {
  const files = await sqlFilesIn(directory);
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, directory), 'utf8')));
  return texts.flatMap((text) => [...text.matchAll(CREATED_INDEX)].map(([, name = '']) => name));
}
