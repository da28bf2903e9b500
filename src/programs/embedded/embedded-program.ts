import { mkdir } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { keyTable } from '../../adapters/cli/keys-command.js';
import { DemoKeys } from '../../adapters/dashboard/demo/demo-keys.js';
import { loadDemoContent } from '../../adapters/dashboard/demo/load-demo-content.js';
import { EmbeddedPostgres } from '../../adapters/embedded/embedded-postgres.js';
import type { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import { migrateDatabase } from '../../adapters/sql/postgres/migrations/migrate-database.js';
import { openDashboardDatabase } from '../../adapters/sql/postgres/open-database.js';
import { openLog } from '../../adapters/system/pino-log.js';
import { dashboardOf } from '../../composition/dashboard-of.js';
import { extendedPrograms } from '../../composition/extensions/configured.js';
import { namesOfReplaced } from '../../composition/extensions/extend.js';
import { DASHBOARD_MIGRATIONS, DEMO_CONTENT, EDIT_DEMO } from '../../composition/project-folders.js';
import type { EmbeddedConfiguration } from '../../composition/settings/configuration.js';
import type { Examined } from '../../domain/model/finding.js';
import type { Log } from '../../domain/ports/system/log.js';
import { examineAtOnce } from '../admin/examine.js';
import { API_DOCUMENTS } from '../api/api-documents.js';
import { ApiProgram } from '../api/api-program.js';
import { migrate } from '../migrate/migrate.js';
import type { OperatedProgram } from '../program.js';
import { catchUp } from '../sync/sync-once.js';
import { SyncProgram } from '../sync/sync-program.js';

/** For a first look, in one process: PostgreSQL, demo content, sync worker and API. */
export class EmbeddedProgram implements OperatedProgram {
  readonly documents = API_DOCUMENTS;
  readonly log: Log;
  readonly replaced: Readonly<Record<string, string>>;
  #postgres: EmbeddedPostgres | null = null;
  #sync: SyncProgram | null = null;
  #api: ApiProgram | null = null;

  constructor(
    private readonly configuration: EmbeddedConfiguration,
    private readonly metrics: PrometheusMetrics,
    private readonly dataFolder: string,
    private readonly print: (text: string) => void,
    private readonly onFailure: (error: Error) => void,
    private readonly extended = extendedPrograms([], {}),
  ) {
    this.replaced = {
      ...namesOfReplaced(extended.api.replaced),
      ...namesOfReplaced(extended.worker.replaced),
    };
    this.log = openLog(configuration);
  }

  get address(): string | null {
    return this.#api?.address ?? null;
  }

  get api(): RequestListener | null {
    return this.#api?.api ?? null;
  }

  async start(): Promise<void> {
    this.print(`Starting a PostgreSQL in ${this.dataFolder} …`);
    await mkdir(this.dataFolder, { recursive: true });
    this.#postgres = await EmbeddedPostgres.start(join(this.dataFolder, 'postgres'));
    this.#postgres.exited.then(this.onFailure);

    const writeDatabaseUrl = await this.#postgres.ensureDatabase('dashboard');
    const readDatabaseUrl = await this.#postgres.ensureDatabase('content');
    await migrateDatabase(writeDatabaseUrl, DASHBOARD_MIGRATIONS);
    await migrate({ readDatabaseUrl, writeDatabaseUrl }, () => {});
    const keys = await this.#fillDashboard(writeDatabaseUrl);
    const { logLevel, logPretty, syncPollMs, webhooks } = this.configuration;
    const sync = { writeDatabaseUrl, readDatabaseUrl, syncPollMs, webhooks, logLevel, logPretty };
    const { api, firstWorker, worker } = this.extended;
    await catchUp({ ...sync, logLevel: 'silent' }, firstWorker);
    this.#sync = new SyncProgram(sync, this.metrics, process.stdout, worker);
    await this.#sync.start();

    const servers = { readDatabaseUrl, redisUrls: null, redisCacheUrls: null };
    this.#api = new ApiProgram({ ...this.configuration, ...servers }, this.metrics, api);
    await this.#api.start();
    this.print(welcome(reachable(this.#api.address ?? ''), keys));
  }

  examine(): Promise<readonly Examined[]> {
    return examineAtOnce([...(this.#api?.checks() ?? []), ...(this.#sync?.checks() ?? [])]);
  }

  drain(): void {
    this.#api?.drain();
  }

  async stop(): Promise<void> {
    await this.#api?.stop();
    await this.#sync?.stop();
    await this.#postgres?.stop();
  }

  async #fillDashboard(url: string) {
    const database = openDashboardDatabase(url);
    try {
      await loadDemoContent(database, DEMO_CONTENT);
      const apiKeys = dashboardOf({ writeDatabaseUrl: url }).keysIn(database);
      return await new DemoKeys(database, apiKeys, join(this.dataFolder, 'demo-keys.json')).all();
    } finally {
      await database.destroy();
    }
  }
}

/** An address for a browser or curl if the server listens on all addresses. */
function reachable(address: string): string {
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

function welcome(address: string, keys: readonly { organization: string; key: string }[]): string {
  return [
    '',
    `The API answers on ${address}/api/v1, with a key of each organization of the demo:`,
    '',
    keyTable(keys),
    '',
    'Try it:',
    '',
    `  curl -H 'X-API-Key: ${keys[0]?.key}' '${address}/api/v1/blogs?limit=1'`,
    '',
    'Edit a blog in the dashboard, from another terminal, and send the request again:',
    '',
    `  ${EDIT_DEMO}`,
    '',
    'Ctrl-C stops it. The content stays in .data, and the keys in .data/demo-keys.json; delete .data to start from scratch.',
    '',
  ].join('\n');
}
