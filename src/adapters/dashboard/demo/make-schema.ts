import { readdir, readFile } from 'node:fs/promises';
import { ownFacts } from '../mysql/capture/capture-facts.js';
import { openMysql } from '../mysql/server.js';

const DUPLICATE_COLUMN = 1060;

interface Made {
  readonly tables: number;
  /** Statements that added columns. */
  readonly additions: number;
}

/**
 * Runs the statements of a folder, and skips one whose column exists: MySQL has no `if not exists`
 * there.
 */
export async function makeSchema(url: string, directory: URL): Promise<Made> {
  const database = openMysql(url, {
    name: 'blog-read-api',
    connections: [0, 1],
    connectTimeoutMs: 5_000,
    acquireTimeoutMs: 10_000,
    statementSeconds: 60,
    lockSeconds: 10,
  });
  const run = (statement: string) =>
    database.raw(statement).then(
      () => true,
      (error) => {
        if (error.errno !== DUPLICATE_COLUMN) throw error;
        return false;
      },
    );
  try {
    const before = (await ownFacts(database)).tables.length;
    let additions = 0;
    for (const file of (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort()) {
      const statements = (await readFile(new URL(file, directory), 'utf8')).split(/;\n/);
      for (const statement of statements.filter((text) => text.trim() !== '')) {
        if ((await run(statement)) && /^alter table /m.test(statement)) additions++;
      }
    }
    return { tables: (await ownFacts(database)).tables.length - before, additions };
  } finally {
    await database.destroy();
  }
}
