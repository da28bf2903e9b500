import type { Knex } from 'knex';
import type { ChangeFeed } from '../../../domain/ports/change-feed.js';
import type { ContentSource } from '../../../domain/ports/content-source.js';
import type { DashboardConnection } from '../dashboard-connection.js';
import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import { countShownRows } from '../source/count-shown-rows.js';
import { MappedContentSource } from '../source/mapped-content-source.js';
import type { TimelessSelects } from '../source/timeless-selects.js';
import { replayAcknowledged } from './capture/acknowledged-changes.js';
import { captureState } from './capture/capture-state.js';
import type { CapturedMapping } from './capture/captured-mapping.js';
import { changeQueue, newestChange, oldestChange } from './capture/change-queue.js';
import type { QueuePosition } from './capture/queue-position.js';
import { PostgresChangeFeed } from './change-feed.js';
import { Dialect } from './dialect.js';
import type { PostgresServer, PostgresSession } from './postgres-server.js';
import { requireCapture, requireTables } from './required-tables.js';

/** What all connections to a dashboard share. */
interface Shared {
  readonly mapping: DashboardMapping;
  readonly captured: CapturedMapping;
  readonly position: QueuePosition;
  readonly timeless: TimelessSelects;
}

export class PostgresConnection implements DashboardConnection {
  readonly feed: ChangeFeed;
  readonly source: ContentSource;
  readonly database: Knex;
  readonly #dialect: Dialect;

  constructor(
    private readonly session: PostgresSession,
    private readonly server: PostgresServer,
    private readonly shared: Shared,
  ) {
    this.database = session.database;
    this.#dialect = new Dialect(shared.mapping);
    this.feed = new PostgresChangeFeed(this.database, this.#dialect);
    this.source = new MappedContentSource(this.database, this.#dialect);
  }

  get isIntact(): boolean {
    return this.session.isIntact;
  }

  isOutage = (error: unknown) => this.server.isOutage(error);
  requireTables = async () => {
    await requireTables(this.database, this.shared.captured.tables, this.server);
    await this.shared.timeless.require(this.database);
  };
  requireCapture = () => requireCapture(this.database, this.server);
  identity = () => this.server.identity(this.database);
  captureState = async () =>
    captureState(this.database, this.shared.captured, await this.#dialect.refresh(this.database));
  replayAcknowledged = (seconds: number) => replayAcknowledged(this.database, seconds);
  newestChange = () => newestChange(this.database);
  oldestChange = (from: bigint) => oldestChange(this.database, from);
  queue = () => changeQueue(this.database, this.shared.position);
  countShownRows = async () => countShownRows(this.database, this.#dialect);
  close = () => this.session.close();
}
