import { readFile } from 'node:fs/promises';
import { runScript } from './database.js';

/** Relative to the compiled file. */
const SCHEMA = new URL('../../../../db/schema.sql', import.meta.url);

/** Creates missing tables. Another run changes nothing. */
export async function migrate(url: string): Promise<void> {
  await runScript(url, await readFile(SCHEMA, 'utf8'));
}
