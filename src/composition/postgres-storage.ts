import { ContainerModule } from 'inversify';
import { databaseName } from '../adapters/postgres/connection/postgres-urls.js';
import {
  openReadDatabase,
  openReplica,
  QUERY_TIMEOUT_MS,
} from '../adapters/postgres/connection/read-database.js';
import { installationOnAny } from '../adapters/postgres/inspect/installation-of.js';
import { PrimaryContent } from '../adapters/postgres/read/content-database.js';
import { PostgresApiKeyDirectory } from '../adapters/postgres/read/postgres-api-key-directory.js';
import { PostgresBlogReader } from '../adapters/postgres/read/postgres-blog-reader.js';
import { PostgresCategoryReader } from '../adapters/postgres/read/postgres-category-reader.js';
import { PostgresGenerations } from '../adapters/postgres/read/postgres-generations.js';
import { PostgresTagReader } from '../adapters/postgres/read/postgres-tag-reader.js';
import { RaiseListener } from '../adapters/postgres/read/raise-listener.js';
import { PrimaryIdentity, Replica } from '../adapters/postgres/replicas/replica.js';
import { ReplicatedContent } from '../adapters/postgres/replicas/replicated-content.js';
import { withTimeLimit } from '../adapters/system/with-time-limit.js';
import type { ApiConfiguration } from './settings/configuration.js';
import { needed } from './settings/read-settings.js';
import { TOKENS } from './tokens.js';

/** Content of the replicas, or of the primary if none responds. */
export function postgresStorage({
  readDatabaseUrl,
  readReplicaUrls,
}: Pick<ApiConfiguration, 'readDatabaseUrl' | 'readReplicaUrls'>): ContainerModule {
  const { readDatabase, replicas, contentDatabase } = TOKENS;
  const primaryUrl = () => needed('READ_DATABASE_URL', readDatabaseUrl);
  return new ContainerModule(({ bind }) => {
    bind(readDatabase)
      .toResolvedValue(() => openReadDatabase(primaryUrl()))
      .onDeactivation((database) => database.destroy());
    bind(TOKENS.primaryIdentity).toResolvedValue((primary) => new PrimaryIdentity(primary), [readDatabase]);
    bind(replicas)
      .toResolvedValue(
        (primary, log) =>
          readReplicaUrls.map(
            (url) =>
              new Replica(
                databaseName(url),
                openReplica(url, () => primary.lastIdentity),
                log,
                (answer) => withTimeLimit(QUERY_TIMEOUT_MS, answer),
              ),
          ),
        [TOKENS.primaryIdentity, TOKENS.log],
      )
      .onDeactivation(async (opened) => {
        await Promise.all(opened.map((replica) => replica.close()));
      });
    bind(contentDatabase).toResolvedValue(
      (database, opened, metrics) => {
        const primary = new PrimaryContent(database);
        return opened.length === 0 ? primary : new ReplicatedContent(primary, opened, metrics);
      },
      [readDatabase, replicas, TOKENS.metrics],
    );
    bind(TOKENS.blogReader).toResolvedValue((content) => new PostgresBlogReader(content), [contentDatabase]);
    bind(TOKENS.categoryReader).toResolvedValue(
      (content) => new PostgresCategoryReader(content),
      [contentDatabase],
    );
    bind(TOKENS.tagReader).toResolvedValue((content) => new PostgresTagReader(content), [contentDatabase]);
    bind(TOKENS.keyTable).toResolvedValue((primary) => new PostgresApiKeyDirectory(primary), [readDatabase]);
    bind(TOKENS.generationTable).toResolvedValue(
      (primary) => new PostgresGenerations(primary),
      [readDatabase],
    );
    bind(TOKENS.raiseListener)
      .toResolvedValue(() => new RaiseListener(primaryUrl()))
      .onDeactivation((listener) => listener.close());
    bind(TOKENS.installation).toResolvedValue(
      (primary, opened) => () => installationOnAny(primary, opened),
      [readDatabase, replicas],
    );
  });
}
