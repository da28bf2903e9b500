import type { Knex } from 'knex';
import type { CaptureLook, CaptureState } from '../../../domain/model/capture.js';
import type { DatabaseIdentity } from '../../../domain/policies/database-change.js';
import { reasonOf } from '../../../domain/policies/reason-of.js';
import type { ChangeFeed } from '../../../domain/ports/dashboard/change-feed.js';
import type { ContentSource } from '../../../domain/ports/dashboard/content-source.js';
import type { KeyManager } from '../../../domain/ports/dashboard/key-manager.js';
import type { KeyHasher } from '../../../domain/ports/system/key-hasher.js';
import { type DashboardMapping, endsWithNewerDigest, withManagedKeys } from '../mapping/dashboard-mapping.js';
import { type MappingFindings, requireValidMapping } from '../mapping/mapping-findings.js';
import { DashboardKeys, keyTableOf } from './dashboard-keys.js';
import { MappedChangeFeed } from './mapped-change-feed.js';
import { countShownRows, MappedContentSource } from './mapped-content-source.js';
import type { AnyDialect } from './source-dialect.js';
import type { StoredQueue } from './stored-queue.js';

export type Print = (text: string) => void;

/** The program of a server, and its version. */
export interface Server {
  readonly product: 'PostgreSQL' | 'MariaDB' | 'MySQL';
  readonly version: string;
}

/** A worker's only connection to a server. */
export interface DashboardSession {
  readonly database: Knex;
  readonly isIntact: boolean;
  close(): Promise<void>;
}

/** What was missing of a change capture, or was another one. */
export interface Installed {
  readonly triggers: number;
  /** Functions, or the mapping that it was installed for. */
  readonly hasOthers: boolean;
}

/** A dashboard with its mapping. Each kind of database has one; the address selects it. */
export abstract class MappedDashboard<Dialect extends AnyDialect = AnyDialect> {
  readonly mapping: DashboardMapping;

  constructor(
    readonly url: string,
    readonly written: DashboardMapping,
    private readonly reference: DashboardMapping,
    private readonly keyHasher: KeyHasher,
    private readonly managedKeys: string,
  ) {
    this.mapping = withManagedKeys(written, managedKeys);
  }

  abstract dialect(): Dialect;
  abstract queueOn(database: Knex): StoredQueue;
  /** Whether an error is caused by the server or is temporary, and not caused by the request. */
  abstract isOutage(error: unknown): boolean;
  /** Captured tables that the database lacks, or that its user may not see. */
  abstract missingTables(database: Knex): Promise<readonly string[]>;
  abstract server(database: Knex): Promise<Server>;
  /** Null: no pooler of this engine shares sessions. */
  abstract readonly isBehindPooler: ((database: Knex) => Promise<boolean>) | null;
  abstract identity(database: Knex): Promise<DatabaseIdentity>;
  /** Ends with the digest of the installed capture. Empty: there is none. */
  protected abstract installedFor(database: Knex): Promise<string>;
  /** As the catalog of the database shows it. */
  abstract captureState(database: Knex): Promise<CaptureLook>;
  /** What is wrong with the mapping in this database. Changes nothing. */
  abstract check(database: Knex): Promise<MappingFindings>;
  /** For a worker. `isForOneSession`: not reopened, because it may lead to another server. */
  protected abstract session(name: string, isForOneSession: boolean): DashboardSession;
  /** For a command. */
  protected abstract open(): Knex;
  protected abstract install(database: Knex, print: Print): Promise<Installed>;
  /** The statements of an installation. */
  protected abstract statements(database: Knex): Promise<readonly string[]>;
  /** The statements that an administrator runs for the worker's user. */
  protected abstract grants(database: Knex): Promise<readonly string[]>;
  protected abstract uninstall(database: Knex): Promise<void>;
  /** Statements that create the table of managed keys. */
  protected abstract readonly createKeys: readonly string[];

  connect(name: string, isForOneSession = false): MappedConnection<Dialect> {
    return new MappedConnection(this.session(name, isForOneSession), this);
  }

  /** Whether a newer version has installed the capture. */
  async isNewer(database: Knex): Promise<boolean> {
    return endsWithNewerDigest(await this.installedFor(database));
  }

  get isReference(): boolean {
    return this.written === this.reference;
  }

  /** Performs all checks, then installs or updates the change capture. */
  migrate(print: Print): Promise<void> {
    return this.#withDatabase(async (database) => {
      if (await this.isNewer(database))
        return print('Change capture: migrated by a newer version, so nothing is changed.');
      await this.#check(database, print);
      for (const statement of this.#tableOfKeys()) await database.raw(statement);
      const { triggers, hasOthers } = await this.install(database, print);
      if (triggers === 0 && !hasOthers) return;
      const what = triggers === 0 ? 'its mapping' : `${triggers} ${triggers === 1 ? 'trigger' : 'triggers'}`;
      print(`Change capture: installed ${what}; everything is read again.`);
    });
  }

  /** Prints what `migrate` would create, and the rights of the worker's user. Creates nothing. */
  explain(print: Print): Promise<void> {
    return this.#withDatabase(async (database) => {
      await this.#check(database, print);
      const statements = [...this.#tableOfKeys(), ...(await this.statements(database))];
      for (const statement of statements) print(`${statement};`);
      print("-- Grants for the sync worker's user, to run after migrate. Replace sync_worker with its name:");
      for (const grant of await this.grants(database)) print(`${grant};`);
    });
  }

  async removeCapture(print: Print): Promise<void> {
    await this.#withDatabase((database) => this.uninstall(database));
    print('Change capture: removed.');
  }

  /** Creates and removes keys. Fails if the dashboard manages its keys itself. */
  withKeys(use: (keyManager: KeyManager) => Promise<void>): Promise<void> {
    const isOurs =
      this.written.hasManagedKeys || this.written.selects.api_keys === this.reference.selects.api_keys;
    if (!isOurs) {
      throw new Error(
        'The dashboard creates its own keys: DASHBOARD_MAPPING maps their table. ' +
          'With `api_keys: managed` in the mapping, this command creates them.',
      );
    }
    const table = keyTableOf(this.written, this.managedKeys, (database, select) =>
      this.dialect().query(database, select),
    );
    return this.#withDatabase((database) => use(new DashboardKeys(database, this.keyHasher, table)));
  }

  #tableOfKeys(): readonly string[] {
    return this.written.hasManagedKeys ? this.createKeys : [];
  }

  async #check(database: Knex, print: Print): Promise<void> {
    if (this.isReference) requireTables(await this.missingTables(database));
    requireValidMapping(await this.check(database), print);
  }

  async #withDatabase(use: (database: Knex) => Promise<void>): Promise<void> {
    const database = this.open();
    try {
      await use(database);
    } catch (error) {
      const isOfServer = error instanceof Error && 'code' in error;
      throw isOfServer ? new Error(`WRITE_DATABASE_URL: ${reasonOf(error)}`, { cause: error }) : error;
    } finally {
      await database.destroy();
    }
  }
}

/** A worker's connection to the database of a dashboard. It must not be used after a failure. */
export class MappedConnection<Dialect extends AnyDialect = AnyDialect> {
  readonly #dialect: Dialect;
  readonly database: Knex;
  readonly feed: ChangeFeed;
  readonly source: ContentSource;
  readonly queue: StoredQueue;

  constructor(
    private readonly session: DashboardSession,
    private readonly dashboard: MappedDashboard<Dialect>,
  ) {
    const { database } = session;
    this.database = database;
    this.#dialect = dashboard.dialect();
    this.queue = dashboard.queueOn(database);
    this.feed = new MappedChangeFeed(database, this.#dialect, this.queue);
    this.source = new MappedContentSource(database, this.#dialect);
  }

  /** Whether it is still the first connection, and open. */
  get isIntact(): boolean {
    return this.session.isIntact;
  }

  isOutage(error: unknown): boolean {
    return this.dashboard.isOutage(error);
  }

  /** Fails with a readable message if a table is missing. */
  async requireTables(): Promise<void> {
    requireTables(await this.dashboard.missingTables(this.database));
  }

  async requireCapture(): Promise<void> {
    if (await this.queue.isInstalled()) return;
    throw new Error(
      "The dashboard's database (WRITE_DATABASE_URL) has no change capture: run `npm run migrate` with both databases first.",
    );
  }

  /** Throws SelectFails if the mapping does not fit the present tables. */
  async requireSelects(): Promise<void> {
    this.#dialect.forgetTables();
    await this.#dialect.tables(this.database, 'all');
  }

  identity(): Promise<DatabaseIdentity> {
    return this.dashboard.identity(this.database);
  }

  async captureState(): Promise<CaptureState> {
    // A column may have another type now.
    this.#dialect.forgetTables();
    const isNewer = await this.dashboard.isNewer(this.database);
    const look = isNewer ? { broken: [], seen: {} } : await this.dashboard.captureState(this.database);
    return { ...look, isNewer };
  }

  /** The newest change. Look-ups come first: what they find has greater ids. */
  async newestChange(): Promise<bigint | null> {
    while (await this.queue.lookUp());
    return this.queue.newest();
  }

  countShownRows() {
    return countShownRows(this.database, this.#dialect);
  }

  /** Also works if the server does not respond any more. */
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
