import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import mysql from 'mysql2/promise';
import { openDashboardDatabase } from '../../../src/adapters/postgres/connection/open-database.js';
import { openMysqlDashboard } from '../../support/dashboards/mysql-dashboard.js';
import { createDashboard } from '../../support/postgres/migrated-databases.js';
import type { ReadModelDump } from '../../support/sync/expected-read-model.js';
import { expectedOfMysql } from '../support/dashboards/mysql-synced-databases.js';
import type { DashboardDatabase } from './dashboard-database.js';

const TIMEOUT_MS = 60_000;
const TRY_AGAIN_MS = 50;
/** A server that died during a statement never answers it. */
const STATEMENT_MS = 15_000;
/** Classes of SQLSTATE: connections, a statement that was ended, a deadlock. A broken connection has none. */
const PASSES = /^(08|70100|40001)/;

export class MariaDbDashboard implements DashboardDatabase {
  #running: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly url: string,
    private readonly source: Knex,
    private readonly mirror: Knex,
  ) {}

  static async open(url: string): Promise<MariaDbDashboard> {
    return new MariaDbDashboard(url, openMysqlDashboard(url), openDashboardDatabase(await createDashboard()));
  }

  /** One at a time: what is read includes all edits that were begun before. */
  query<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const rows = this.#running.then(() => this.#queryUntilDone<Row>(sql, values));
    this.#running = rows.catch(() => {});
    return rows;
  }

  async #queryUntilDone<Row extends object>(
    sql: string,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    const deadline = performance.now() + TIMEOUT_MS;
    for (;;) {
      try {
        return await this.#queryOnce(sql.replace(/\$\d+/g, '?'), values);
      } catch (error) {
        const { sqlState = '08' } = error as { sqlState?: string };
        if (!PASSES.test(sqlState) || performance.now() > deadline) throw error;
      }
      await pause(TRY_AGAIN_MS);
    }
  }

  async insertKey(id: string, organizationId: string, hash: string, expiresAt: Date | null): Promise<void> {
    await this.query(
      'insert ignore into api_keys (id, organization_id, key_hash, expires_at) values ($1, $2, $3, $4)',
      [id, organizationId, hash, expiresAt],
    );
  }

  expectedReadModel(): Promise<ReadModelDump> {
    return expectedOfMysql(this.source, this.mirror);
  }

  waitingChanges(): Promise<unknown> {
    return this.query('select kind, count(*) as changes from content_sync_changes group by kind');
  }

  async end(): Promise<void> {
    await Promise.all([this.source.destroy(), this.mirror.destroy()]);
  }

  async #queryOnce<Row extends object>(sql: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const connection = await mysql.createConnection({
      uri: this.url,
      connectTimeout: STATEMENT_MS,
      timezone: 'Z',
    });
    try {
      const [rows] = await connection.query({ sql, values: [...values], timeout: STATEMENT_MS });
      return rows as unknown as readonly Row[];
    } finally {
      connection.destroy();
    }
  }
}
