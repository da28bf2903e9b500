import type { Knex } from 'knex';
import { KindFails, LeadershipLost, SourceTooSlow } from '../../../domain/errors.js';
import type { CaptureState, ChangeQueue } from '../../../domain/model/capture.js';
import { reasonOf } from '../../../domain/policies/reason-of.js';
import type { KeyManager } from '../../../domain/ports/dashboard/key-manager.js';
import type { DatabaseIdentity } from '../../../domain/ports/sync/sync-notes.js';
import type { KeyHasher } from '../../../domain/ports/system/key-hasher.js';
import type { WorkerConnection } from '../../sql/worker-connection.js';
import {
  type DashboardMapping,
  digestOf,
  isNewerDigest,
  withManagedKeys,
} from '../mapping/dashboard-mapping.js';
import { type MappingFindings, requireValidMapping } from '../mapping/mapping-findings.js';
import { DashboardKeys } from './dashboard-keys.js';
import type { Engine, Print, Server } from './engine.js';
import { MappedChangeFeed } from './mapped-change-feed.js';
import { MappedContentSource } from './mapped-content-source.js';
import { checkMapping } from './mapping-check.js';
import { SlowKinds } from './slow-kinds.js';
import { SourceReader } from './source-reader.js';

/** The user of WRITE_DATABASE_URL lacks a right. */
export class RightMissing extends Error {
  override readonly name = 'RightMissing';
}

/** A dashboard with its mapping. */
export class MappedDashboard {
  readonly mapping: DashboardMapping;
  readonly slowKinds = new SlowKinds();
  readonly #reader: SourceReader;

  constructor(
    private readonly url: string,
    private readonly written: DashboardMapping,
    private readonly reference: DashboardMapping,
    private readonly keyHasher: KeyHasher,
    readonly engine: Engine,
  ) {
    this.mapping = withManagedKeys(written, engine.words.managedKeys);
    this.#reader = new SourceReader(this.mapping, engine);
  }

  connect(name: string, isForOneSession = false): MappedConnection {
    const session = this.engine.client.connect(this.url, name, isForOneSession);
    return new MappedConnection(session, this);
  }

  /** What is wrong with the mapping in this database. Changes nothing. */
  check(database: Knex): Promise<MappingFindings> {
    return this.ask(() => checkMapping(database, this.written, this.engine));
  }

  /** Fails with a readable message if a table is missing. */
  async requireTables(database: Knex): Promise<void> {
    const missing = await this.ask(() => this.engine.checks.missingTables(database, this.mapping));
    if (missing.length === 0) return;
    throw new Error(
      `The dashboard's database (WRITE_DATABASE_URL) has no table ${missing.join(', ')}, or its user may not see it. ` +
        'Is it the right database? For other tables set DASHBOARD_MAPPING; for a demo, `npm run dashboard:migrate` creates them.',
    );
  }

  /** Names the setting in what the server or its driver says. */
  async ask<Result>(question: () => Promise<Result>): Promise<Result> {
    return question().catch((error: unknown) => {
      throw this.#withSetting(error);
    });
  }

  #withSetting(error: unknown): unknown {
    const reason = `WRITE_DATABASE_URL: ${reasonOf(error)}`;
    const cause = error instanceof KindFails ? (error.cause ?? error) : error;
    if (this.engine.client.means(cause, 'denied')) return new RightMissing(reason, { cause: error });
    const isOurs = [LeadershipLost, KindFails, SourceTooSlow].some((kind) => error instanceof kind);
    return isOurs ? error : new Error(reason, { cause: error });
  }

  /** Performs all checks, then installs or updates the change capture, and its role's rights. */
  migrate(print: Print, syncRole: string | null = null): Promise<void> {
    return this.#withDatabase(async (database, { capture }) => {
      if (isNewerDigest(await capture.installedFor(database)))
        return print('Change capture: migrated by a newer version, so nothing is changed.');
      await this.#check(database, print);
      for (const statement of this.#tableOfKeys()) await database.raw(statement);
      const { triggers, hasOthers } = await capture.install(database, this.mapping, this.url, print);
      const grants = syncRole === null ? [] : await capture.grants(database, this.mapping, syncRole);
      for (const grant of grants) await database.raw(grant);
      if (triggers === 0 && !hasOthers) return print('Change capture: up to date.');
      const what = triggers === 0 ? 'its mapping' : `${triggers} ${triggers === 1 ? 'trigger' : 'triggers'}`;
      print(`Change capture: installed ${what}; everything is read again.`);
    });
  }

  printGrants(print: Print, syncRole: string): Promise<void> {
    return this.#withDatabase(async (database, { capture }) => {
      for (const grant of await capture.grants(database, this.mapping, syncRole)) print(`${grant};`);
    });
  }

  /** Prints what `migrate` would create. Creates nothing. */
  explain(print: Print): Promise<void> {
    return this.#withDatabase(async (database, { capture }) => {
      await this.#check(database, print);
      const statements = [...this.#tableOfKeys(), ...(await capture.explain(database, this.mapping))];
      for (const statement of statements) print(`${statement};`);
    });
  }

  async removeCapture(print: Print): Promise<void> {
    await this.#withDatabase((database, { capture }) => capture.remove(database));
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
    return this.#withDatabase((database) => use(this.keysIn(database)));
  }

  keysIn(database: Knex): DashboardKeys {
    const table = this.written.hasManagedKeys ? this.engine.words.managedKeys : 'api_keys';
    return new DashboardKeys(database, this.keyHasher, this.#reader, table);
  }

  #tableOfKeys(): readonly string[] {
    return this.written.hasManagedKeys ? this.engine.words.createKeys : [];
  }

  async #check(database: Knex, print: Print): Promise<void> {
    if (this.written === this.reference) await this.requireTables(database);
    requireValidMapping(await this.check(database), print);
  }

  async #withDatabase(use: (database: Knex, engine: Engine) => Promise<void>): Promise<void> {
    const database = this.engine.client.open(this.url);
    try {
      await use(database, this.engine);
    } catch (error) {
      throw error instanceof Error && 'code' in error ? this.#withSetting(error) : error;
    } finally {
      await database.destroy();
    }
  }
}

/** A worker's connection to the database of a dashboard. It must not be used after a failure. */
export class MappedConnection {
  readonly #reader: SourceReader;
  readonly database: Knex;
  readonly feed: MappedChangeFeed;
  readonly source: MappedContentSource;

  constructor(
    private readonly session: WorkerConnection,
    private readonly dashboard: MappedDashboard,
  ) {
    const { database } = session;
    const { engine, mapping } = dashboard;
    this.database = database;
    this.#reader = new SourceReader(mapping, engine, dashboard.slowKinds);
    this.feed = new MappedChangeFeed(database, this.#reader, engine);
    this.source = new MappedContentSource(database, this.#reader);
  }

  /** Whether it is still the first connection, and open. */
  get isIntact(): boolean {
    return this.session.isIntact;
  }

  isOutage(error: unknown): boolean {
    return this.dashboard.engine.client.faultOf(error) === 'outage';
  }

  server(): Promise<Server> {
    return this.dashboard.ask(() => this.dashboard.engine.client.server(this.database));
  }

  sharesSessions(): Promise<boolean> {
    return this.dashboard.ask(() => this.dashboard.engine.client.sharesSessions(this.database));
  }

  requireTables(): Promise<void> {
    return this.dashboard.requireTables(this.database);
  }

  /** Looks for missing tables only without a capture: a table lost later stops no revocation. */
  async requireCapture(): Promise<void> {
    if (await this.dashboard.ask(() => this.feed.isInstalled())) return;
    await this.requireTables();
    throw new Error(
      "The dashboard's database (WRITE_DATABASE_URL) has no change capture: run `npm run migrate` with both databases first.",
    );
  }

  /** Throws KindFails if the mapping does not fit the present tables. */
  async requireSelects(): Promise<void> {
    this.#reader.forgetTables();
    await this.dashboard.ask(() => this.#reader.tables(this.database, 'all'));
  }

  identity(): Promise<DatabaseIdentity> {
    return this.dashboard.ask(() => this.dashboard.engine.client.identity(this.database));
  }

  lag(): Promise<ChangeQueue> {
    return this.dashboard.ask(() => this.feed.lag());
  }

  captureState(): Promise<CaptureState> {
    // A column may have another type now.
    this.#reader.forgetTables();
    const { engine, mapping } = this.dashboard;
    return this.dashboard.ask(async () => {
      const installed = await engine.capture.installedFor(this.database);
      if (isNewerDigest(installed)) return { broken: [], seen: {}, isNewer: true };
      const { broken, seen } = await engine.capture.state(this.database, mapping);
      const digest = digestOf(mapping);
      const other = 'it was installed for another mapping than that of DASHBOARD_MAPPING';
      return {
        broken: installed === digest ? broken : [...broken, other],
        seen: { ...seen, mapping: digest },
        isNewer: false,
      };
    });
  }

  /** The newest change. Look-ups come first: what they find has greater ids. */
  async newestChange(): Promise<bigint | null> {
    while (await this.feed.lookUp());
    return this.feed.newest();
  }

  /** Also works if the server does not respond any more. */
  close(): Promise<void> {
    return this.session.close();
  }
}
