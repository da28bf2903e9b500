import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import mysql from 'mysql2/promise';

const GUIDE = new URL('../../../docs/examples/dashboards/ghost/README.md', import.meta.url);
export const MAPPING = fileURLToPath(new URL('mapping.yaml', GUIDE));

/** The statements of the guide that an administrator runs before and after `migrate`. */
export async function statementsOfGuide(): Promise<readonly [string, string]> {
  const blocks = (await readFile(GUIDE, 'utf8')).matchAll(/^ *```sql\n([\s\S]*?)^ *```$/gm);
  const [before, after, ...others] = [...blocks].map(([, sql = '']) => sql);
  expect(others).to.eql([]);
  return [before ?? '', after ?? ''];
}

/** Runs them as an administrator, on this database instead of the guide's. */
export async function runInPlaceOfGhost(url: string, statements: string): Promise<void> {
  const database = await mysql.createConnection({ uri: url, multipleStatements: true });
  const name = new URL(url).pathname.slice(1);
  await database.query(statements.replaceAll('ghost.', `${name}.`)).finally(() => database.end());
}

export function asUser(url: string, username: string, password: string): string {
  return Object.assign(new URL(url), { username, password }).href;
}
