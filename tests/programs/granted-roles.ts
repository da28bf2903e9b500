import type { Knex } from 'knex';
import { openDashboardDatabase } from '../../src/adapters/sql/postgres/open-database.js';
import { migrate } from '../../src/programs/migrate/migrate.js';
import { Dashboard } from '../support/dashboards/dashboard.js';
import { TestRole } from '../support/postgres/test-role.js';

const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * A dashboard and its read tables, with roles for the sync worker and for the API that `migrate --with-grants` gives
 * their rights.
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
    await migrate(dashboard, () => {}, { api: api.name, sync: sync.name });
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
