import type { Knex } from 'knex';
import type { CaptureLook } from '../../../domain/model/capture.js';
import type { DatabaseIdentity } from '../../../domain/policies/database-change.js';
import type { ChangeFeed } from '../../../domain/ports/change-feed.js';
import type { ContentSource } from '../../../domain/ports/content-source.js';
import type { DashboardConnection } from '../dashboard-engine.js';
import { MappedChangeFeed } from './mapped-change-feed.js';
import { countShownRows, MappedContentSource } from './mapped-content-source.js';
import type { SourceDialect, SourceTables } from './source-dialect.js';
import type { StoredQueue } from './stored-queue.js';

interface Session {
  readonly database: Knex;
  readonly isIntact: boolean;
  close(): Promise<void>;
}

/** What a connection to a dashboard asks of one engine. */
interface ConnectionEngine<Tables extends SourceTables> {
  readonly dialect: SourceDialect<Tables>;
  readonly queue: StoredQueue;
  isOutage(error: unknown): boolean;
  /** Captured tables that the database lacks, or that its user may not see. */
  missingTables(): Promise<readonly string[]>;
  identity(): Promise<DatabaseIdentity>;
  captureState(): Promise<CaptureLook>;
  /** Names the setting of the database in the message of a failure. */
  naming<Result>(ask: () => Promise<Result>): Promise<Result>;
}

export class MappedConnection<Tables extends SourceTables> implements DashboardConnection {
  readonly feed: ChangeFeed;
  readonly source: ContentSource;
  readonly database: Knex;

  constructor(
    private readonly session: Session,
    private readonly engine: ConnectionEngine<Tables>,
  ) {
    const { dialect, queue } = engine;
    this.database = session.database;
    this.feed = new MappedChangeFeed(this.database, dialect, queue);
    this.source = new MappedContentSource(this.database, dialect);
  }

  get isIntact(): boolean {
    return this.session.isIntact;
  }

  isOutage(error: unknown): boolean {
    return this.engine.isOutage(error);
  }

  async requireTables(): Promise<void> {
    requireTables(await this.engine.naming(() => this.engine.missingTables()));
  }

  async requireCapture(): Promise<void> {
    if (await this.engine.naming(() => this.engine.queue.isInstalled())) return;
    throw new Error(
      "The dashboard's database (WRITE_DATABASE_URL) has no change capture: run `npm run migrate` with both databases first.",
    );
  }

  identity(): Promise<DatabaseIdentity> {
    return this.engine.identity();
  }

  captureState(): Promise<CaptureLook> {
    return this.engine.captureState();
  }

  replayAcknowledged(seconds: number): Promise<number> {
    return this.engine.queue.replay(seconds);
  }

  /** Look-ups come first: what they find has greater ids. */
  async newestChange(): Promise<bigint | null> {
    while (await this.engine.queue.lookUp());
    return this.engine.queue.newest();
  }

  oldestChange(from: bigint): Promise<bigint | null> {
    return this.engine.queue.oldest(from);
  }

  queue() {
    return this.engine.queue.lag();
  }

  countShownRows() {
    return countShownRows(this.database, this.engine.dialect);
  }

  close(): Promise<void> {
    return this.session.close();
  }
}

/** `missing`: captured tables that the database lacks, or that its user may not see. */
export function requireTables(missing: readonly string[]): void {
  if (missing.length === 0) return;
  throw new Error(
    `The dashboard's database (WRITE_DATABASE_URL) has no table ${missing.join(', ')}, or its user may not see it. ` +
      'Is it the right database? For other tables set DASHBOARD_MAPPING; for a demo, `npm run dashboard:migrate` creates them.',
  );
}
