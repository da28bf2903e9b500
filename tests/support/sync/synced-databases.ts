import type { Knex } from 'knex';
import type { MappedDashboard } from '../../../src/adapters/dashboard/source/mapped-dashboard.js';
import { PostgresJobQueue } from '../../../src/adapters/postgres/write/postgres-job-queue.js';
import { openDashboardDatabase } from '../../../src/adapters/sql/postgres/open-database.js';
import { dashboardOf } from '../../../src/composition/dashboard-of.js';
import {
  createCapturedDashboard,
  createReadTables,
  migrateReadTables,
} from '../postgres/migrated-databases.js';
import { patientConnection } from '../postgres/patient-connection.js';
import { expectedReadModel, type ReadModelDump, readModel } from './expected-read-model.js';

/** Children before parents: a history may leave rows whose parents are gone. */
const EMPTY_DASHBOARD = [
  'blog_tags',
  'blog_categories',
  'api_keys',
  'blogs',
  'tags',
  'categories',
  'websites',
  'organizations',
  'content_sync.change_queue',
];
const READ_TABLES = [
  'api_keys',
  'categories',
  'tags',
  'blogs',
  'list_entries',
  'list_totals',
  'titles',
  'organizations',
  'unshown_rows',
  'hidden_websites',
];

const TABLES_OF_PROGRAMS = ['sync_leader', 'sync_jobs', 'known_databases', 'installation'];

interface UnfinishedJob {
  readonly id: number;
  readonly scope: string;
  readonly progress: { readonly stage: number; readonly after: string | null } | null;
}

/** A dashboard's database with its change capture, and the read tables that a sync worker fills from it. */
export class SyncedDatabases {
  readonly engine: MappedDashboard;
  /** A connection separate from the worker's. */
  readonly readTables: Knex;

  constructor(
    readonly writeDatabaseUrl: string,
    readonly readDatabaseUrl: string,
    /** A connection of an editor of the dashboard. */
    readonly dashboard: Knex,
  ) {
    this.engine = dashboardOf({ writeDatabaseUrl, dashboardMapping: null });
    this.readTables = patientConnection(readDatabaseUrl).database;
  }

  static async create(createDashboard = createCapturedDashboard): Promise<SyncedDatabases> {
    const [writeDatabaseUrl, readDatabaseUrl] = [await createDashboard(), await createReadTables()];
    return new SyncedDatabases(writeDatabaseUrl, readDatabaseUrl, openDashboardDatabase(writeDatabaseUrl));
  }

  async close(): Promise<void> {
    await Promise.all([this.dashboard.destroy(), this.readTables.destroy()]);
  }

  /** Saves the read tables. `fill` restores them in a fraction of the time that a worker needs. */
  async keep(): Promise<void> {
    const tables = [...READ_TABLES, ...TABLES_OF_PROGRAMS].map(
      (table) => `create table kept.${table} as table content_read.${table};`,
    );
    await this.readTables.raw(`create schema kept; ${tables.join(' ')}`);
  }

  /** Restores the saved read tables as from a dump: other tables with the same names. */
  async restoreReadTables(): Promise<void> {
    await this.readTables.raw('drop schema content_read, content_read_migrations cascade');
    await migrateReadTables(this.readDatabaseUrl);
    const tables = [...READ_TABLES, ...TABLES_OF_PROGRAMS].map(
      (table) =>
        `delete from content_read.${table}; insert into content_read.${table} overriding system value table kept.${table};`,
    );
    await this.readTables.raw(
      `${tables.join(' ')} select setval('content_read.sync_jobs_id_seq', (select max(id) from kept.sync_jobs))`,
    );
  }

  /** Restores the saved read tables. The dashboard has no changes that they lack. */
  async fill(): Promise<void> {
    await this.emptyQueue();
    const tables = READ_TABLES.map(
      (table) => `delete from content_read.${table}; insert into content_read.${table} table kept.${table};`,
    );
    await this.readTables.raw(
      `${tables.join(' ')} delete from content_read.sync_jobs; insert into content_read.sync_jobs (scope) values ('reconcile')`,
    );
  }

  /**
   * Restores new read tables in a fraction of the time that their creation takes: the first fill is still to be done.
   */
  async empty(): Promise<void> {
    await this.emptyDashboard();
    const empty = READ_TABLES.map((table) => `delete from content_read.${table};`).join(' ');
    await this.readTables.raw(
      `${empty} delete from content_read.sync_jobs; insert into content_read.sync_jobs (scope) values ('everything'), ('reconcile')`,
    );
  }

  expected(): Promise<ReadModelDump> {
    return expectedReadModel(this.dashboard);
  }

  present(): Promise<ReadModelDump> {
    return readModel(this.readTables);
  }

  async queueLength(): Promise<number> {
    const { rows }: { rows: [{ length: number }] } = await this.dashboard.raw(
      'select count(*)::int as length from content_sync.change_queue',
    );
    return rows[0].length;
  }

  async unfinishedJobs(): Promise<readonly UnfinishedJob[]> {
    const { rows }: { rows: UnfinishedJob[] } = await this.readTables.raw(
      'select id::int as id, scope, progress from content_read.sync_jobs where finished_at is null order by id',
    );
    return rows;
  }

  /** The number of rows that reconciling had to repair. */
  async repairs(): Promise<number> {
    const { rows }: { rows: [{ repairs: number }] } = await this.readTables.raw(
      `select coalesce(sum(changed_rows), 0)::int as repairs from content_read.sync_jobs where scope = 'reconcile'`,
    );
    return rows[0].repairs;
  }

  async forgetRepairs(): Promise<void> {
    await this.readTables.raw(`update content_read.sync_jobs set changed_rows = 0 where scope = 'reconcile'`);
  }

  /** Requests a rebuild as an operator does. */
  async requestEverything(): Promise<void> {
    await new PostgresJobQueue(this.readTables).requestEverything();
  }

  /** Restarts reconciling at its first row: when it ends, it has compared every row in its present state. */
  async restartCheck(): Promise<void> {
    await this.readTables.raw(
      `update content_read.sync_jobs set progress = null where scope = 'reconcile' and finished_at is null`,
    );
  }

  /** Closes the connections of all workers, and waits until they are gone. */
  async endWorkerConnections(): Promise<void> {
    const names = [this.writeDatabaseUrl, this.readDatabaseUrl].map((url) => new URL(url).pathname.slice(1));
    const end = () =>
      this.readTables.raw(
        `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'blog-read-api sync' and datname = any(:names::text[])`,
        { names },
      );
    while ((await end()).rows.length > 0);
  }

  /** Makes a worker wait only briefly for locks of the dashboard. */
  async shortenLocks({ database }: { readonly database: Knex }, milliseconds: number): Promise<void> {
    await database.raw(`set lock_timeout = ${milliseconds}`);
  }

  async emptyQueue(): Promise<void> {
    await this.dashboard.raw('delete from content_sync.change_queue');
  }

  protected async emptyDashboard(): Promise<void> {
    await this.dashboard.raw(EMPTY_DASHBOARD.map((table) => `delete from ${table};`).join(' '));
  }
}
