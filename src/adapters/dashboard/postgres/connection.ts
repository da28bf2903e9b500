import type { Knex } from 'knex';
import type { ChangeFeed } from '../../../domain/ports/change-feed.js';
import type { ContentSource } from '../../../domain/ports/content-source.js';
import type { DashboardConnection } from '../dashboard-engine.js';
import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import { countShownRows, MappedContentSource } from '../source/mapped-content-source.js';
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
  requireTables = () => requireTables(this.database, this.shared.captured.tables, this.server);
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

/** Tables of the dashboard that the database lacks. */
export async function missingTables(
  database: Knex,
  tables: readonly TableName[],
): Promise<readonly TableName[]> {
  const { rows }: { rows: { place: number }[] } = await database.raw(
    `select place::int from unnest(:tables::text[]) with ordinality as asked (name, place)
     where to_regclass(name) is null order by place`,
    { tables: tables.map(quotedTable) },
  );
  return rows.flatMap(({ place }) => tables[place - 1] ?? []);
}

type Naming = Pick<PostgresServer, 'naming'>;

/** The error says which of the two databases it concerns and what to do. */
export async function requireTables(
  database: Knex,
  tables: readonly TableName[],
  { naming }: Naming,
): Promise<void> {
  const missing = await naming('WRITE_DATABASE_URL', () => missingTables(database, tables));
  if (missing.length === 0) return;
  const where = missing.every(({ schema }) => schema === 'public') ? ' in its schema public' : '';
  throw new Error(
    `The dashboard's database (WRITE_DATABASE_URL) has no table ${missing.map(shownTable).join(', ')}${where}. ` +
      'Is it the right database? For other tables set DASHBOARD_MAPPING; for a demo, `npm run dashboard:migrate` creates them.',
  );
}

export async function requireCapture(database: Knex, { naming }: Naming): Promise<void> {
  if (await naming('WRITE_DATABASE_URL', () => isCaptureInstalled(database))) return;
  throw new Error(
    "The dashboard's database (WRITE_DATABASE_URL) has no change capture: run `npm run migrate` with both databases first.",
  );
}
