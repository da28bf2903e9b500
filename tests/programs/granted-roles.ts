import { readFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import { openDashboardDatabase } from '../../src/adapters/sql/postgres/open-database.js';
import { Dashboard } from '../support/dashboards/dashboard.js';
import { TestRole } from '../support/postgres/test-role.js';

const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * A dashboard and its read tables, with roles for the sync worker and for the API as the scripts in db/grants create
 * them.
 */
export class GrantedRoles {
  private constructor(
    readonly dashboard: Dashboard,
    /** The owner of the dashboard's database. */
    readonly writeOwner: Knex,
    readonly readOwner: Knex,
    readonly sync: TestRole,
    readonly api: TestRole,
  ) {}

  static async create(tenants: number): Promise<GrantedRoles> {
    const dashboard = await Dashboard.create(tenants);
    const write = openDashboardDatabase(dashboard.writeDatabaseUrl);
    const read = openDashboardDatabase(dashboard.readDatabaseUrl);
    const [sync, api] = [await TestRole.create(write, read), await TestRole.create(read)];
    await runScript(write, 'sync-worker-in-dashboard.sql', { role: sync.name });
    await runScript(read, 'in-read-database.sql', { api_role: api.name, sync_role: sync.name });
    return new GrantedRoles(dashboard, write, read, sync, api);
  }

  async drop(): Promise<void> {
    await this.api.drop();
    await this.sync.drop();
    await this.writeOwner.destroy();
    await this.readOwner.destroy();
  }
}

/** The statements for which the role lacks the right. */
export async function refusedTo(
  role: TestRole,
  databaseUrl: string,
  statements: readonly string[],
): Promise<string[]> {
  const database = openDashboardDatabase(role.urlOf(databaseUrl));
  const refused: string[] = [];
  for (const sql of statements) {
    await database.raw(sql).catch((error: Error & { code?: string }) => {
      if (error.code === INSUFFICIENT_PRIVILEGE) refused.push(sql);
    });
  }
  await database.destroy();
  return refused;
}

/** Runs a script as `psql -v name=value` does. */
async function runScript(database: Knex, script: string, variables: Record<string, string>): Promise<void> {
  const sql = await readFile(new URL(`../../db/grants/${script}`, import.meta.url), 'utf8');
  await database.raw(sql.replace(/:"(\w+)"/g, (_, name: string) => `"${variables[name]}"`));
}
