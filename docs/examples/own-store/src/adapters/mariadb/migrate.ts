import { readFile } from 'node:fs/promises';
import { runScript } from './database.js';

/** From where this file is compiled to. */
const SCHEMA = new URL('../../../../db/schema.sql', import.meta.url);

/** Creates what is missing; run again, it changes nothing. */
export async function migrate(url: string): Promise<void> {
  await runScript(url, await readFile(SCHEMA, 'utf8'));
}
