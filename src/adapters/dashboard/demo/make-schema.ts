import { readdir, readFile } from 'node:fs/promises';
import { openMysql } from '../../sql/mysql/open-mysql.js';

/** Runs the statements of a folder, each of which creates what does not exist yet. */
export async function makeSchema(url: string, directory: URL): Promise<void> {
  const database = openMysql(url);
  try {
    for (const file of (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort()) {
      const statements = (await readFile(new URL(file, directory), 'utf8')).split(/;\n/);
      for (const statement of statements.filter((text) => text.trim() !== '')) await database.raw(statement);
    }
  } finally {
    await database.destroy();
  }
}
