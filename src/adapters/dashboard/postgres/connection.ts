import type { Knex } from 'knex';
import type { ChangeFeed } from '../../../domain/ports/change-feed.js';
import type { ContentSource } from '../../../domain/ports/content-source.js';
import type { DashboardConnection } from '../dashboard-engine.js';
import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import { countShownRows, MappedContentSource } from '../source/mapped-content-source.js';
import { requireCapture, requireTables } from '../source/required-tables.js';
import { captureState } from './capture/capture-state.js';
import type { CapturedMapping } from './capture/captured-tables.js';
import {
  changeQueue,
  isCaptureInstalled,
  newestChange,
  oldestChange,
  replayAcknowledged,
} from './capture/change-queue.js';
import type { QueuePosition } from './capture/queue-position.js';
import { PostgresChangeFeed } from './change-feed.js';
import { Dialect } from './dialect.js';
import { quotedTable, shownTable, type TableName } from './read/quoted.js';
import type { PostgresServer, PostgresSession } from './server.js';

/** What all connections to a dashboard share. */
interface Shared {
  readonly mapping: DashboardMapping;
  readonly captured: CapturedMapping;
  readonly position: QueuePosition;
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
  requireTables = async () =>
    requireTables(await this.#naming(() => missingTables(this.database, this.shared.captured.tables)));
  requireCapture = async () => requireCapture(await this.#naming(() => isCaptureInstalled(this.database)));
  identity = () => this.server.identity(this.database);
  captureState = async () =>
    captureState(this.database, this.shared.captured, await this.#dialect.refresh(this.database));
  replayAcknowledged = (seconds: number) => replayAcknowledged(this.database, seconds);
  newestChange = () => newestChange(this.database);
  oldestChange = (from: bigint) => oldestChange(this.database, from);
  queue = () => changeQueue(this.database, this.shared.position);
  countShownRows = async () => countShownRows(this.database, this.#dialect);
  close = () => this.session.close();

  #naming<Result>(ask: () => Promise<Result>): Promise<Result> {
    return this.server.naming('WRITE_DATABASE_URL', ask);
  }
}

/** Captured tables that the database lacks. */
export async function missingTables(
  database: Knex,
  tables: readonly TableName[],
): Promise<readonly string[]> {
  const { rows }: { rows: { position: number }[] } = await database.raw(
    `select "position"::int from unnest(:tables::text[]) with ordinality as asked (name, "position")
     where to_regclass(name) is null order by "position"`,
    { tables: tables.map(quotedTable) },
  );
  return rows.flatMap(({ position }) => tables.slice(position - 1, position).map(shownTable));
}
