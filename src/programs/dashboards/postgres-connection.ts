import type { DashboardMapping } from '../../adapters/dashboard/mapping/dashboard-mapping.js';
import { replayAcknowledged } from '../../adapters/dashboard/postgres/acknowledged-changes.js';
import { captureState } from '../../adapters/dashboard/postgres/capture-state.js';
import type { CapturedMapping } from '../../adapters/dashboard/postgres/captured-mapping.js';
import { changeQueue, newestChange, oldestChange } from '../../adapters/dashboard/postgres/change-queue.js';
import { countShownRows } from '../../adapters/dashboard/postgres/count-shown-rows.js';
import { DashboardChangeFeed } from '../../adapters/dashboard/postgres/dashboard-change-feed.js';
import { DashboardContentSource } from '../../adapters/dashboard/postgres/dashboard-content-source.js';
import { MappedDashboard } from '../../adapters/dashboard/postgres/mapped-dashboard.js';
import type { QueuePosition } from '../../adapters/dashboard/postgres/queue-position.js';
import type { TimelessSelects } from '../../adapters/dashboard/source/timeless-selects.js';
import { isOutage } from '../../adapters/postgres/connection/is-outage.js';
import type { WorkerConnection } from '../../adapters/postgres/connection/worker-connection.js';
import { currentIdentity } from '../../adapters/postgres/inspect/current-identity.js';
import type { DashboardConnection } from '../../composition/dashboard-connection.js';
import { requireCapture, requireDashboardTables } from '../admin/require-tables.js';

export class PostgresConnection implements DashboardConnection {
  readonly feed: DashboardChangeFeed;
  readonly source: DashboardContentSource;
  readonly database: WorkerConnection['database'];
  readonly #mapped: MappedDashboard;

  constructor(
    private readonly connection: WorkerConnection,
    mapping: DashboardMapping,
    private readonly captured: CapturedMapping,
    private readonly position: QueuePosition,
    private readonly timeless: TimelessSelects,
  ) {
    this.database = connection.database;
    this.#mapped = new MappedDashboard(mapping);
    this.feed = new DashboardChangeFeed(this.database, this.#mapped);
    this.source = new DashboardContentSource(this.database, this.#mapped);
  }

  get isIntact(): boolean {
    return this.connection.isIntact;
  }

  isOutage = isOutage;
  requireTables = async () => {
    await requireDashboardTables(this.database, this.captured.tables);
    await this.timeless.require(this.database);
  };
  requireCapture = () => requireCapture(this.database);
  identity = () => currentIdentity(this.database);
  captureState = async () =>
    captureState(this.database, this.captured, await this.#mapped.refresh(this.database));
  replayAcknowledged = (seconds: number) => replayAcknowledged(this.database, seconds);
  newestChange = () => newestChange(this.database);
  oldestChange = (from: bigint) => oldestChange(this.database, from);
  queue = () => changeQueue(this.database, this.position);
  countShownRows = async () => countShownRows(this.database, await this.#mapped.shapes(this.database, 'all'));
  close = () => this.connection.close();
}
