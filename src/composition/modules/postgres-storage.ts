import { ContainerModule } from 'inversify';
import { databaseName } from '../../adapters/postgres/connection/postgres-urls.js';
import { openReadDatabase, openReplica } from '../../adapters/postgres/connection/read-database.js';
import { installationOnAny } from '../../adapters/postgres/inspect/installation-of.js';
import { PrimaryContent } from '../../adapters/postgres/read/content-database.js';
import { PostgresApiKeyDirectory } from '../../adapters/postgres/read/postgres-api-key-directory.js';
import { PostgresBlogReader } from '../../adapters/postgres/read/postgres-blog-reader.js';
import { PostgresCategoryReader } from '../../adapters/postgres/read/postgres-category-reader.js';
import { PostgresGenerations } from '../../adapters/postgres/read/postgres-generations.js';
import { PostgresTagReader } from '../../adapters/postgres/read/postgres-tag-reader.js';
import { PrimaryIdentity, Replica } from '../../adapters/postgres/replicas/replica.js';
import { ReplicatedContent } from '../../adapters/postgres/replicas/replicated-content.js';
import type { ApiConfiguration } from '../settings/configuration.js';
import { needed } from '../settings/read-settings.js';
import { TOKENS } from '../tokens.js';

/** Content of the replicas, or of the primary if none responds. */
export function postgresStorage({
  readDatabaseUrl,
  readReplicaUrls,
}: Pick<ApiConfiguration, 'readDatabaseUrl' | 'readReplicaUrls'>): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.readDatabase)
      .toResolvedValue(() => openReadDatabase(needed('READ_DATABASE_URL', readDatabaseUrl)))
      .onDeactivation((database) => database.destroy());
    bind(TOKENS.primaryIdentity).toResolvedValue(
      (primary) => new PrimaryIdentity(primary),
      [TOKENS.readDatabase],
    );
    bind(TOKENS.replicas)
      .toResolvedValue(
        (primary, log) =>
          readReplicaUrls.map((replicaUrl) => {
            const database = openReplica(replicaUrl, () => primary.known);
            return new Replica(databaseName(replicaUrl), database, log);
          }),
        [TOKENS.primaryIdentity, TOKENS.log],
      )
      .onDeactivation(async (replicas) => {
        await Promise.all(replicas.map((replica) => replica.close()));
      });
    bind(TOKENS.contentDatabase).toResolvedValue(
      (database, replicas, metrics) => {
        const primary = new PrimaryContent(database);
        return replicas.length === 0 ? primary : new ReplicatedContent(primary, replicas, metrics);
      },
      [TOKENS.readDatabase, TOKENS.replicas, TOKENS.metrics],
    );
    bind(TOKENS.blogReader).toResolvedValue(
      (content) => new PostgresBlogReader(content),
      [TOKENS.contentDatabase],
    );
    bind(TOKENS.categoryReader).toResolvedValue(
      (content) => new PostgresCategoryReader(content),
      [TOKENS.contentDatabase],
    );
    bind(TOKENS.tagReader).toResolvedValue(
      (content) => new PostgresTagReader(content),
      [TOKENS.contentDatabase],
    );
    bind(TOKENS.keyTable).toResolvedValue(
      (database) => new PostgresApiKeyDirectory(database),
      [TOKENS.readDatabase],
    );
    bind(TOKENS.generationTable).toResolvedValue(
      (database) => new PostgresGenerations(database),
      [TOKENS.readDatabase],
    );
    bind(TOKENS.installation).toResolvedValue(
      (primary, replicas) => () => installationOnAny(primary, replicas),
      [TOKENS.readDatabase, TOKENS.replicas],
    );
  });
}
