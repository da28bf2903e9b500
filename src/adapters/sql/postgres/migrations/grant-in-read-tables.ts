import { readFile } from 'node:fs/promises';
import { naming } from '../fault-of.js';
import { openDashboardDatabase } from '../open-database.js';

/** Runs the script as `psql -v api_role=… -v sync_role=…` does. */
export async function grantInReadTables(
  url: string,
  script: URL,
  roles: Readonly<Record<string, string>>,
): Promise<void> {
  const quoted = (role: string) => `"${roles[role]?.replaceAll('"', '""')}"`;
  const sql = (await readFile(script, 'utf8')).replace(/:"(\w+)_role"/g, (_, role: string) => quoted(role));
  const database = openDashboardDatabase(url);
  await naming('READ_DATABASE_URL', () => database.raw(sql)).finally(() => database.destroy());
}
