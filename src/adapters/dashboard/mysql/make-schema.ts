import { readdir, readFile } from 'node:fs/promises';
import { ownFacts } from './capture-facts.js';
import { openMysql } from './open-mysql.js';

/** Runs the statements of a folder, each of which creates one table. Tables that exist are skipped. Returns how many were created. */
export async function makeSchema(url: string, directory: URL): Promise<number> {
  const database = openMysql(url, {
    name: 'blog-read-api',
    connections: [0, 1],
    connectTimeoutMs: 5_000,
    acquireTimeoutMs: 10_000,
    statementSeconds: 60,
    lockSeconds: 10,
  });
  try {
    const before = (await ownFacts(database)).tables.length;
    for (const file of (await readdir(directory)).filter((each) => each.endsWith('.sql')).sort()) {
      const statements = (await readFile(new URL(file, directory), 'utf8')).split(/;\n/);
      for (const statement of statements.filter((each) => each.trim() !== '')) await database.raw(statement);
    }
    return (await ownFacts(database)).tables.length - before;
  } finally {
    await database.destroy();
  }
}
