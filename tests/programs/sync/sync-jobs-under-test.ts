import type { Knex } from 'knex';
import type { RebuildProgress } from '../../../src/adapters/cli/progress-report.js';
import { openReadDatabase } from '../../../src/adapters/postgres/connection/read-database.js';
import type { SyncConfiguration } from '../../../src/composition/settings/configuration.js';
import { catchUp, rebuild } from '../../../src/programs/sync/sync-once.js';
import { startCapturedDashboard } from '../../support/dashboards/captured-changes.js';
import { type DashboardUnderTest, dumpOf } from '../../support/dashboards/dashboard-under-test.js';
import { createReadTables } from '../../support/postgres/migrated-databases.js';

const CONTENT_TABLES = ['api_keys', 'categories', 'tags', 'blogs'].map((table) => `content_read.${table}`);
const DERIVED_TABLES = ['titles', 'list_entries', 'list_totals'].map((table) => `content_read.${table}`);

/** A dashboard and read tables that only the jobs of the test fill. */
export class SyncJobsUnderTest {
  private constructor(
    readonly dashboard: DashboardUnderTest,
    readonly readTables: Knex,
    readonly configuration: SyncConfiguration,
  ) {}

  static async start(): Promise<SyncJobsUnderTest> {
    const dashboard = await startCapturedDashboard();
    const urls = { writeDatabaseUrl: dashboard.url, readDatabaseUrl: await createReadTables() };
    return new SyncJobsUnderTest(dashboard, openReadDatabase(urls.readDatabaseUrl), {
      ...urls,
      redisUrls: null,
      syncPollMs: 10,
      logLevel: 'silent',
      logPretty: false,
    });
  }

  async stop(): Promise<void> {
    await this.readTables.destroy();
    await this.dashboard.stop();
  }

  /** Empties both sides. */
  async empty(): Promise<void> {
    await this.dashboard.empty();
    await this.catchUp();
  }

  catchUp(): Promise<void> {
    return catchUp(this.configuration);
  }

  rebuild(report: (progress: RebuildProgress) => void = () => {}): Promise<number | null> {
    return rebuild(this.configuration, report);
  }

  blog(id: string) {
    return this.readTables('content_read.blogs').where({ id }).first();
  }

  async generationOf(organizationId: string): Promise<bigint> {
    const organizations = this.readTables('content_read.organizations');
    const row = await organizations.where({ organization_id: organizationId }).first();
    return BigInt(row?.generation ?? 0);
  }

  /** Everything that the API shows. */
  contentDump(): Promise<readonly string[]> {
    return dumpOf(this.readTables, [...CONTENT_TABLES, ...DERIVED_TABLES]);
  }

  async clearReadTables(): Promise<void> {
    await this.readTables.raw(`truncate ${CONTENT_TABLES.join(', ')}`);
  }

  async countReadRows(): Promise<number> {
    const totals = await Promise.all(
      CONTENT_TABLES.map((table) => this.readTables(table).count({ total: '*' })),
    );
    return totals.reduce((sum, [row]) => sum + Number(row?.total), 0);
  }
}
