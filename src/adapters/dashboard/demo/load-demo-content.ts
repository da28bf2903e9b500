import { readdir, readFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import { SOURCES } from '../mapping/dashboard-mapping.js';

/** The rows of tables of the reference schema. An organization is in the first of its files. */
type DemoRows = Readonly<Record<string, readonly { readonly id: string }[] | undefined>>;

/** Fills a dashboard without organizations. Returns those of the demo that exist then. */
export async function loadDemoContent(
  database: Knex,
  directory: URL,
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.json')).sort();
  const demos: DemoRows[] = [];
  for (const file of files) demos.push(JSON.parse(await readFile(new URL(file, directory), 'utf8')));
  await database.transaction(async (transaction) => {
    if ((await transaction('organizations').first('id')) !== undefined) return;
    for (const demo of demos) await insertRows(transaction, demo);
  });
  const ids = demos.flatMap(({ organizations = [] }) => organizations.map(({ id }) => id));
  return await database('organizations').whereIn('id', ids).orderBy('id').select('id', 'name');
}

async function insertRows(transaction: Knex.Transaction, demo: DemoRows): Promise<void> {
  // The order of the sources is that of their references.
  for (const table of SOURCES) {
    const rows = demo[table] ?? [];
    if (rows.length > 0) await transaction(table).insert(rows);
  }
}
