import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { openDashboardDatabase } from '../../../../src/adapters/sql/postgres/open-database.js';
import { dashboardOf } from '../../../../src/composition/dashboard-of.js';
import { migrate } from '../../../../src/programs/migrate/migrate.js';
import { createMysqlDashboard, openMysqlDashboard } from '../../../support/dashboards/mysql-dashboard.js';
import { createDashboard, createReadTables } from '../../../support/postgres/migrated-databases.js';
import { expectedReadModel, NUL, type ReadModelDump } from '../../../support/sync/expected-read-model.js';
import { SyncedDatabases } from '../../../support/sync/synced-databases.js';

/** Lists parents before children. */
export const DASHBOARD_TABLES = [
  'organizations',
  'websites',
  'categories',
  'tags',
  'blogs',
  'blog_categories',
  'blog_tags',
  'api_keys',
];

/** Computed by the SQL for PostgreSQL, on a copy. */
export async function expectedOfMysql(dashboard: Knex, mirror: Knex): Promise<ReadModelDump> {
  await mirror.raw('truncate organizations cascade');
  for (const table of DASHBOARD_TABLES) {
    const rows = await dashboard(table).select();
    const written = JSON.stringify(rows).replaceAll('\\u0000', NUL);
    await mirror.raw(`insert into ${table} select * from json_populate_recordset(null::public.${table}, ?)`, [
      written,
    ]);
  }
  const expected = JSON.stringify(await expectedReadModel(mirror));
  // As the read tables have it.
  return JSON.parse(expected.replaceAll(NUL, '\\u0001'));
}

/** A MariaDB dashboard. Its sync worker has only the rights that `migrate -- --explain` lists. */
export class MysqlSyncedDatabases extends SyncedDatabases {
  private constructor(
    /** The URL for an editor of the dashboard. */
    readonly dashboardUrl: string,
    workerUrl: string,
    readDatabaseUrl: string,
    private readonly mirror: Knex,
  ) {
    super(workerUrl, readDatabaseUrl, openMysqlDashboard(dashboardUrl));
  }

  static async createIn(context: Mocha.Context): Promise<MysqlSyncedDatabases> {
    return MysqlSyncedDatabases.createAt(await createMysqlDashboard(context));
  }

  /** Expects a database with the reference schema. */
  static async createAt(dashboardUrl: string, createMirror = createDashboard): Promise<MysqlSyncedDatabases> {
    const [readDatabaseUrl, mirrorUrl] = [await createReadTables(), await createMirror()];
    await migrate({ readDatabaseUrl, writeDatabaseUrl: dashboardUrl }, () => {});
    const worker = new URL(dashboardUrl);
    [worker.username, worker.password] = [`worker_${randomUUID().slice(0, 8)}`, 'w'];
    const databases = new MysqlSyncedDatabases(
      dashboardUrl,
      worker.href,
      readDatabaseUrl,
      openDashboardDatabase(mirrorUrl),
    );
    const grants: string[] = [];
    await databases.dashboard.raw(`create user ${worker.username} identified by 'w'`);
    await dashboardOf({ writeDatabaseUrl: dashboardUrl }).printGrants(
      (grant) => grants.push(grant),
      worker.username,
    );
    for (const grant of grants) await databases.dashboard.raw(grant);
    return databases;
  }

  override async close(): Promise<void> {
    await Promise.all([super.close(), this.mirror.destroy()]);
  }

  override expected(): Promise<ReadModelDump> {
    return expectedOfMysql(this.dashboard, this.mirror);
  }

  override async queueLength(): Promise<number> {
    const [[{ length }]] = await this.dashboard.raw('select count(*) as length from content_sync_changes');
    return Number(length);
  }

  override async endWorkerConnections(): Promise<void> {
    await super.endWorkerConnections();
    await this.killDashboardConnections();
  }

  /** Ends the connections of workers. */
  async killDashboardConnections(): Promise<void> {
    for (;;) {
      const [sessions] = await this.dashboard.raw(
        `select id from information_schema.processlist where user = '${new URL(this.writeDatabaseUrl).username}'`,
      );
      if (sessions.length === 0) return;
      // A session may have ended in the meantime.
      for (const { id } of sessions) await this.dashboard.raw(`kill ${id}`).catch(() => {});
    }
  }

  /** Nothing to do: the worker waits for no other transaction, because it reads what was committed. */
  override async shortenLocks(): Promise<void> {}

  override async emptyQueue(): Promise<void> {
    await this.dashboard.raw('delete from content_sync_changes');
  }

  protected override async emptyDashboard(): Promise<void> {
    for (const table of DASHBOARD_TABLES.toReversed()) await this.dashboard.raw(`delete from ${table}`);
    await this.emptyQueue();
  }
}
