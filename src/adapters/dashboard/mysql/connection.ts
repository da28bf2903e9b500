import type { Knex } from 'knex';
import type { ChangeFeed } from '../../../domain/ports/change-feed.js';
import type { ContentSource } from '../../../domain/ports/content-source.js';
import type { DashboardConnection } from '../dashboard-engine.js';
import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import { FINDINGS } from '../mapping/mapping-findings.js';
import { countShownRows, MappedContentSource } from '../source/mapped-content-source.js';
import { requireCapture, requireTables } from '../source/required-tables.js';
import { captureState } from './capture/capture-state.js';
import { capturesOf } from './capture/captured-tables.js';
import {
  changeQueue,
  isCaptureInstalled,
  newestChange,
  oldestChange,
  replayAcknowledged,
} from './capture/change-queue.js';
import { lookUpAll } from './capture/lookups.js';
import { MysqlChangeFeed } from './change-feed.js';
import { Dialect } from './dialect.js';
import { readableTables } from './read/mapped-tables.js';
import { isMysqlOutage, queryRows } from './read/query-rows.js';
import { text } from './read/quoted.js';
import { type MysqlWorkerConnection, mysqlIdentity } from './server.js';

export class MysqlConnection implements DashboardConnection {
  readonly feed: ChangeFeed;
  readonly source: ContentSource;
  readonly database: MysqlWorkerConnection['database'];
  readonly #dialect: Dialect;

  constructor(
    private readonly connection: MysqlWorkerConnection,
    private readonly mapping: DashboardMapping,
  ) {
    this.database = connection.database;
    this.#dialect = new Dialect(mapping);
    this.source = new MappedContentSource(this.database, this.#dialect);
    this.feed = new MysqlChangeFeed(this.database, this.#dialect, capturesOf(mapping));
  }

  get isIntact(): boolean {
    return this.connection.isIntact;
  }

  isOutage = isMysqlOutage;

  requireTables = async () => requireTables(await missingTables(this.database, this.mapping));
  requireCapture = async () => requireCapture(await isCaptureInstalled(this.database));
  identity = () => mysqlIdentity(this.database);
  captureState = async () => {
    const look = await captureState(this.database, this.mapping);
    const { refusals } = await readableTables(this.database, this.mapping);
    const failing = [...refusals].map(([source, reason]) => FINDINGS.selectFails(source, reason));
    return { ...look, broken: [...look.broken, ...failing] };
  };
  replayAcknowledged = (seconds: number) => replayAcknowledged(this.database, seconds);
  newestChange = async () => {
    // The lookup may add changes, with higher ids than those that were looked up.
    await lookUpAll(this.database, capturesOf(this.mapping));
    return newestChange(this.database);
  };
  oldestChange = (from: bigint) => oldestChange(this.database, from);
  queue = () => changeQueue(this.database);
  countShownRows = () => countShownRows(this.database, this.#dialect);
  close = () => this.connection.close();
}

/** Captured tables that the database lacks, or that this user may not see. */
export async function missingTables(
  database: Knex,
  { captures }: DashboardMapping,
): Promise<readonly string[]> {
  const tables = captures.map(({ table }) => table);
  const rows = await queryRows<{ name: string }>(
    database,
    `select table_name as name from information_schema.tables where table_schema = database() and table_name in (${tables.map(text).join(', ')})`,
  );
  const names = new Set(rows.map(({ name }) => name));
  return tables.filter((table) => !names.has(table));
}
