import type { DashboardMapping } from '../../adapters/dashboard/mapping/dashboard-mapping.js';
import { replayAcknowledged } from '../../adapters/dashboard/mysql/acknowledged-changes.js';
import { captureState } from '../../adapters/dashboard/mysql/capture-state.js';
import {
  changeQueue,
  isCaptureInstalled,
  newestChange,
  oldestChange,
} from '../../adapters/dashboard/mysql/change-queue.js';
import { countShownRows } from '../../adapters/dashboard/mysql/count-shown-rows.js';
import { capturesOf } from '../../adapters/dashboard/mysql/engine-mapping.js';
import { isMysqlOutage } from '../../adapters/dashboard/mysql/is-outage.js';
import { lookUpAll } from '../../adapters/dashboard/mysql/lookups.js';
import { type MappedTables, readableTables } from '../../adapters/dashboard/mysql/mapped-tables.js';
import { missingTables } from '../../adapters/dashboard/mysql/missing-tables.js';
import { MysqlChangeFeed } from '../../adapters/dashboard/mysql/mysql-change-feed.js';
import { MysqlContentSource } from '../../adapters/dashboard/mysql/mysql-content-source.js';
import { mysqlIdentity } from '../../adapters/dashboard/mysql/mysql-identity.js';
import type { MysqlWorkerConnection } from '../../adapters/dashboard/mysql/mysql-worker-connection.js';
import type { TimelessSelects } from '../../adapters/dashboard/source/timeless-selects.js';
import type { DashboardConnection } from '../../composition/dashboard-connection.js';

export class MysqlConnection implements DashboardConnection {
  readonly feed: MysqlChangeFeed;
  readonly source: MysqlContentSource;
  readonly database: MysqlWorkerConnection['database'];
  #tables: MappedTables | null = null;

  constructor(
    private readonly connection: MysqlWorkerConnection,
    private readonly mapping: DashboardMapping,
    private readonly timeless: TimelessSelects,
  ) {
    this.database = connection.database;
    this.source = new MysqlContentSource(this.database, this.#described);
    this.feed = new MysqlChangeFeed(
      this.database,
      capturesOf(mapping),
      (snapshot) => new MysqlContentSource(snapshot, this.#described),
    );
  }

  get isIntact(): boolean {
    return this.connection.isIntact;
  }

  isOutage = isMysqlOutage;

  async requireTables(): Promise<void> {
    const missing = await missingTables(this.database, this.mapping);
    if (missing.length > 0) {
      throw new Error(
        `The dashboard's database (WRITE_DATABASE_URL) lacks tables that the mapping captures, or its user may not read them: ${missing.join(', ')}.`,
      );
    }
    await this.timeless.require(this.database);
  }

  async requireCapture(): Promise<void> {
    if (await isCaptureInstalled(this.database)) return;
    throw new Error(
      "The dashboard's database (WRITE_DATABASE_URL) has no change capture: run `npm run migrate` with both databases first.",
    );
  }

  identity = () => mysqlIdentity(this.database);
  captureState = async () => {
    const look = await captureState(this.database, this.mapping);
    const { refusals } = await readableTables(this.database, this.mapping);
    const failing = [...refusals].map(([source, reason]) => `${source}: the select fails: ${reason}`);
    return { ...look, broken: [...look.broken, ...failing] };
  };
  replayAcknowledged = (seconds: number) => replayAcknowledged(this.database, seconds);
  newestChange = async () => {
    // The lookup may add changes. Their ids are higher than those of the changes that were looked up.
    await lookUpAll(this.database, capturesOf(this.mapping));
    return newestChange(this.database);
  };
  oldestChange = (from: bigint) => oldestChange(this.database, from);
  queue = () => changeQueue(this.database);
  countShownRows = async () => countShownRows(this.database, await this.#described(this.database));
  close = () => this.connection.close();

  /** Once per connection, unless a select fails: a table change that alters the result of a select ends the connection. */
  readonly #described = async (database: MysqlWorkerConnection['database']): Promise<MappedTables> => {
    const tables = this.#tables;
    if (tables !== null && tables.refusals.size === 0) return tables;
    this.#tables = await readableTables(database, this.mapping);
    return this.#tables;
  };
}
