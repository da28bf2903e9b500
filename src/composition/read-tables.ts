import { ContainerModule } from 'inversify';
import { type ContentDatabase, PrimaryContent } from '../adapters/postgres/read/content-database.js';
import { installationOnAny } from '../adapters/postgres/read/installation-of.js';
import { PostgresApiKeyDirectory } from '../adapters/postgres/read/postgres-api-key-directory.js';
import { PostgresBlogReader } from '../adapters/postgres/read/postgres-blog-reader.js';
import { PostgresCategoryReader } from '../adapters/postgres/read/postgres-category-reader.js';
import { PostgresGenerations } from '../adapters/postgres/read/postgres-generations.js';
import { PostgresTagReader } from '../adapters/postgres/read/postgres-tag-reader.js';
import { RaiseListener } from '../adapters/postgres/read/raise-listener.js';
import { openReadDatabase, openReplica, QUERY_TIMEOUT_MS } from '../adapters/postgres/read/read-database.js';
import { PrimaryIdentity, Replica } from '../adapters/postgres/replicas/replica.js';
import { ReplicatedContent } from '../adapters/postgres/replicas/replicated-content.js';
import { databaseName } from '../adapters/sql/postgres/postgres-urls.js';
import { withTimeLimit } from '../adapters/system/with-time-limit.js';
import type { Log } from '../domain/ports/system/log.js';
import type { Metrics } from '../domain/ports/system/metrics.js';
import type { ApiConfiguration } from './settings/configuration.js';
import { needed } from './settings/read-settings.js';
import { SETTINGS } from './settings/settings.js';
import { API_PORTS, token } from './tokens.js';

export type ReadTables = ReturnType<typeof openReadTables>;
export const READ_TABLES = token<ReadTables>('ReadTables');
const CONTENT = token<ContentDatabase>('ContentDatabase');

type Urls = Pick<ApiConfiguration, 'readDatabaseUrl' | 'readReplicaUrls'>;

export function readTables(urls: Urls): ContainerModule {
  const { log, metrics } = API_PORTS;
  return new ContainerModule(({ bind }) => {
    bind(READ_TABLES)
      .toResolvedValue((log) => openReadTables(urls, log), [log])
      .onDeactivation(({ close }) => close());
    bind(CONTENT).toResolvedValue(contentOf, [READ_TABLES, metrics]);
    bind(API_PORTS.blogReader).toResolvedValue((content) => new PostgresBlogReader(content), [CONTENT]);
    bind(API_PORTS.categoryReader).toResolvedValue(
      (content) => new PostgresCategoryReader(content),
      [CONTENT],
    );
    bind(API_PORTS.tagReader).toResolvedValue((content) => new PostgresTagReader(content), [CONTENT]);
    const keys = ({ primary }: ReadTables) => new PostgresApiKeyDirectory(primary);
    bind(API_PORTS.keyTable).toResolvedValue(keys, [READ_TABLES]);
    const generations = ({ primary }: ReadTables) => new PostgresGenerations(primary);
    bind(API_PORTS.generationTable).toResolvedValue(generations, [READ_TABLES]);
    const installationOf =
      ({ primary, replicas }: ReadTables) =>
      () =>
        installationOnAny(primary, replicas);
    bind(API_PORTS.installation).toResolvedValue(installationOf, [READ_TABLES]);
  });
}

/** From the replicas, or from the primary if none responds. */
function contentOf({ primary, replicas }: ReadTables, metrics: Metrics): ContentDatabase {
  const content = new PrimaryContent(primary);
  return replicas.length === 0 ? content : new ReplicatedContent(content, replicas, metrics);
}

/** Without connecting to them. */
function openReadTables({ readDatabaseUrl, readReplicaUrls }: Urls, log: Log) {
  const url = needed(SETTINGS.readDatabaseUrl, readDatabaseUrl);
  const primary = openReadDatabase(url);
  const identity = new PrimaryIdentity(primary);
  const inTime = <Answer>(answer: Promise<Answer>) => withTimeLimit(QUERY_TIMEOUT_MS, answer);
  const replicas = readReplicaUrls.map((replicaUrl) => {
    const database = openReplica(replicaUrl, () => identity.lastIdentity);
    return new Replica(databaseName(replicaUrl), database, log, inTime);
  });
  const listener = new RaiseListener(url);
  const close = async () => {
    listener.close();
    await Promise.all([primary.destroy(), ...replicas.map((replica) => replica.close())]);
  };
  return { primary, identity, replicas, listener, close };
}
