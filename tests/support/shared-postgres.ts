import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { handInNotes, NOTES_VARIABLE, sayNotesIn } from './surroundings.js';
import { createTestDatabase, stopTestPostgres } from './test-postgres.js';

let folder = '';
const notesOfRun = () => join(folder, 'notes');

/** One PostgreSQL for all processes of a run that has several: they find it where a server of one's own would be named. */
export async function mochaGlobalSetup(): Promise<void> {
  const url = await createTestDatabase();
  handInNotes();
  folder = await mkdtemp(join(tmpdir(), 'blog-read-api-run-'));
  await writeFile(notesOfRun(), '');
  process.env[NOTES_VARIABLE] = notesOfRun();
  process.env.TEST_DATABASE_URL = url;
}

export async function mochaGlobalTeardown(): Promise<void> {
  sayNotesIn(notesOfRun());
  await stopTestPostgres();
  await rm(folder, { recursive: true });
}
